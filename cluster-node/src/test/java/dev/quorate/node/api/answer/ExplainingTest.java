package dev.quorate.node.api.answer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.HeaderLines;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.connection.EncodedAnswer;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Purpose;
import dev.quorate.router.coordinator.operation.Explanation.Reply;
import dev.quorate.router.coordinator.operation.Explanation.Result;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an explanation looks like, in each of its forms. */
final class ExplainingTest {

    private static final Timestamp VERSION = Timestamp.of(1_767_225_600_000L, 7, 2);
    private static final Timestamp NEWER = Timestamp.of(1_767_225_600_000L, 8, 2);

    private static final String HEAD =
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nCache-Control: no-cache\r\n";

    /** The lines of an answer, as they are sent. */
    private static List<String> headers(Explanation explanation) {
        HttpResponse response =
                new HttpResponse(200, List.of("Cache-Control: no-cache"), new byte[0])
                        .with(Explaining.headers(explanation));
        String text = EncodedAnswer.text(response);
        assertThat(text).startsWith(HEAD).endsWith("\r\n\r\n").matches("[ -~\r\n]*");
        return text.substring(HEAD.length()).lines().takeWhile(line -> !line.isEmpty()).toList();
    }

    private static Explanation of(Purpose purpose, Reply... replies) {
        return new Explanation(List.of(), List.of(new Round(purpose, VERSION, List.of(replies))));
    }

    private static String json(Explanation explanation) {
        JsonWriter json = new JsonWriter(16).beginObject();
        Explaining.putInto(json, explanation);
        return json.endObject().toString();
    }

    @Test
    void everyAnswerHasItsLine() {
        Explanation explanation =
                of(
                        Purpose.READ,
                        new Reply("n1", new Result.Found(VERSION, false, 3, 5, Entry.NEVER), 0),
                        new Reply("n2", new Result.Found(VERSION, true, 3, 0, Entry.NEVER), 999),
                        new Reply(
                                "n3",
                                new Result.Found(VERSION, false, 3, 5, 1_767_225_600_001L),
                                1_000),
                        new Reply("n4", Result.Absent.ABSENT, 1_234_567),
                        new Reply("n5", new Result.Stored(VERSION), 10),
                        new Reply("n6", new Result.Stored(NEWER), 10),
                        new Reply("n7", new Result.Listed(12), 10),
                        new Reply("n8", new Result.Failed(Failure.BREAKER_OPEN, ""), 10),
                        new Reply("n9", Result.NotAwaited.NOT_AWAITED, Reply.NO_TIME),
                        new Reply("n10", Result.NotAsked.NOT_ASKED, Reply.NO_TIME));
        String asked = "; answer=";
        assertThat(headers(explanation))
                .containsExactly(
                        "X-Quorate-Replica: n1"
                                + asked
                                + "value; version="
                                + VERSION
                                + "; from=3; bytes=5; millis=0.000",
                        "X-Quorate-Replica: n2"
                                + asked
                                + "tombstone; version="
                                + VERSION
                                + "; from=3; millis=0.999",
                        "X-Quorate-Replica: n3"
                                + asked
                                + "value; version="
                                + VERSION
                                + "; from=3; bytes=5; expires=2026-01-01T00:00:00.001Z;"
                                + " millis=1.000",
                        "X-Quorate-Replica: n4" + asked + "absent; millis=1234.567",
                        "X-Quorate-Replica: n5"
                                + asked
                                + "stored; version="
                                + VERSION
                                + "; millis=0.010",
                        "X-Quorate-Replica: n6"
                                + asked
                                + "stored; version="
                                + VERSION
                                + "; holds="
                                + NEWER
                                + "; millis=0.010",
                        "X-Quorate-Replica: n7" + asked + "entries; entries=12; millis=0.010",
                        "X-Quorate-Replica: n8"
                                + asked
                                + "failed; reason=breaker_open; detail=\"\"; millis=0.010",
                        "X-Quorate-Replica: n9" + asked + "not-awaited",
                        "X-Quorate-Replica: n10" + asked + "not-asked");
    }

    @Test
    void thePurposeOfARoundIsShownIfThereAreSeveral() {
        Round read =
                new Round(Purpose.READ, null, List.of(new Reply("n1", Result.Absent.ABSENT, 1)));
        Round repair =
                new Round(
                        Purpose.REPAIR, VERSION, List.of(new Reply("n1", Result.Absent.ABSENT, 2)));
        assertThat(headers(new Explanation(List.of(), List.of(read, repair))))
                .containsExactly(
                        "X-Quorate-Replica: n1; asked=read; answer=absent; millis=0.001",
                        "X-Quorate-Replica: n1; asked=repair; answer=absent; millis=0.002");
        assertThat(json(new Explanation(List.of(), List.of(read))))
                .contains("{\"replica\":\"n1\",\"asked\":\"read\",\"answer\":\"absent\",");
    }

    @Test
    void textOfAPeerCannotBreakTheAnswer() {
        String evil = "a\r\nSet-Cookie: x=\"1\"; é\0" + "z".repeat(100_000);
        Explanation explanation =
                of(Purpose.WRITE, new Reply("n1", new Result.Failed(Failure.FAILED, evil), 1));
        String line = headers(explanation).getFirst();
        assertThat(headers(explanation)).hasSize(1);
        assertThat(line).contains("detail=\"a??Set-Cookie: x='1'; ??zzz").hasSizeLessThan(400);
        Explanation inReasons = new Explanation(List.of(evil, "\uD83D\uDE00é"), List.of());
        assertThat(headers(inReasons)).hasSize(2).last().isEqualTo("X-Quorate-Explain: ???");
        assertThat(json(explanation))
                .contains("\"detail\":\"a\\r\\nSet-Cookie: x=\\\"1\\\"; é\\u0000zzz")
                .hasSizeLessThan(600);
    }

    @Test
    void headersOfManyReplicasAreLimited() {
        List<Reply> replies = new ArrayList<>();
        for (int i = 1; i <= 64; i++) {
            replies.add(
                    new Reply(
                            "node" + i, new Result.Failed(Failure.TIMEOUT, "x y ".repeat(60)), 1));
        }
        Explanation explanation =
                new Explanation(List.of("why"), List.of(new Round(Purpose.READ, null, replies)));
        List<String> headers = headers(explanation);
        assertThat(headers.stream().mapToInt(String::length).sum()).isLessThan(6_400);
        int shown = headers.size() - 2;
        assertThat(headers.getLast())
                .isEqualTo(
                        "X-Quorate-Replica: and %d more, for which there is no room"
                                .formatted(64 - shown));
        // The body has room for all.
        assertThat(json(explanation)).contains("\"replica\":\"node64\"");
    }

    @Test
    void eachTroubleHasItsAdvice() {
        List<Reply> replies = new ArrayList<>();
        for (Failure failure : Failure.values()) {
            replies.add(new Reply("n" + failure.code(), new Result.Failed(failure, ""), 1));
            replies.add(new Reply("m" + failure.code(), new Result.Failed(failure, ""), 1));
        }
        replies.add(new Reply("fine", Result.Absent.ABSENT, 1));
        List<String> advice = Explaining.advice(of(Purpose.READ, replies.toArray(Reply[]::new)));
        assertThat(advice).hasSize(Failure.values().length);
        assertThat(advice)
                .allSatisfy(text -> assertThat(text).matches("n\\d+, m\\d+: .{10,}[.?]"))
                .noneMatch(text -> text.contains("fine"));
    }

    @Test
    void aFailureHasAnExplanationAndAdvice() {
        Explanation explanation =
                of(Purpose.READ, new Reply("n1", new Result.Failed(Failure.CORRUPT, "block 7"), 1));
        String body =
                new String(
                        OutcomeAnswers.response(
                                        new dev.quorate.router.coordinator.operation.Outcome
                                                .QuorumFailed(
                                                null, List.of(), List.of(), explanation),
                                        0,
                                        HeaderLines.NONE,
                                        null)
                                .body(),
                        StandardCharsets.UTF_8);
        assertThat(body)
                .contains("\"explanation\":{\"reasons\":[],\"replicas\":[{\"replica\":\"n1\"")
                .contains("\"advice\":[\"n1: found damage")
                .contains("\"retry\":\"Nothing was changed.");
    }
}
