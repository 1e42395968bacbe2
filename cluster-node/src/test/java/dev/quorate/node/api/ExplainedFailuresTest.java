package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.Outcome.QuorumFailed;
import dev.quorate.router.coordinator.operation.Outcome.ReplicaFailure;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What clients are told where too few replicas answered, or where they ask how it came about. */
final class ExplainedFailuresTest extends ClientOfAnEdge {

    @Test
    void aWriteWithTooFewAcknowledgementsIsIndeterminateAndExplainsTheRetry() throws IOException {
        Timestamp version = Timestamp.of(1_767_225_600_000L, 7, 2);
        edge.operations.forced =
                new QuorumFailed(
                        version,
                        List.of("n1"),
                        List.of(new ReplicaFailure("n2", Failure.TIMEOUT, "no \"answer\"")),
                        explanation(version));
        for (Answer answer : List.of(put("a", "b"), ask("DELETE", "/v0/entity?id=a"))) {
            assertThat(answer.status()).isEqualTo(504);
            assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
            assertThat(answer.header("x-quorate-version")).isEqualTo(version.toString());
            assertThat(answer.text())
                    .contains("indeterminate")
                    .contains("\"version\":\"" + version + "\"")
                    .contains("\"accepted\":[\"n1\"]")
                    .contains(
                            "\"failures\":[{\"replica\":\"n2\",\"reason\":\"timeout\","
                                    + "\"detail\":\"no \\\"answer\\\"\"}]")
                    .contains("X-Quorate-Version: " + version)
                    .contains(
                            "\"explanation\":{\"reasons\":[\"1 of 2 is \\\"there\\\"\"],\"replicas\":["
                                    + "{\"replica\":\"n1\",\"asked\":\"write\",\"answer\":\"stored\","
                                    + "\"version\":\""
                                    + version
                                    + "\",\"millis\":1.250},"
                                    + "{\"replica\":\"n2\",\"asked\":\"write\",\"answer\":\"failed\","
                                    + "\"reason\":\"timeout\",\"detail\":\"no \\\"answer\\\"\","
                                    + "\"millis\":1000.007}]}")
                    .contains("\"advice\":[\"n2: no answer in time.")
                    .doesNotContain("x-quorate-explain");
            assertThat(answer.headers()).doesNotContainKey("x-quorate-explain");
        }
    }

    private static Explanation explanation(Timestamp version) {
        return new Explanation(
                List.of("1 of 2 is \"there\""),
                List.of(
                        new Explanation.Round(
                                Explanation.Purpose.WRITE,
                                version,
                                List.of(
                                        new Explanation.Reply(
                                                "n1",
                                                new Explanation.Result.Stored(version),
                                                1_250),
                                        new Explanation.Reply(
                                                "n2",
                                                new Explanation.Result.Failed(
                                                        Failure.TIMEOUT, "no \"answer\""),
                                                1_000_007)))));
    }

    @Test
    void howAnAnswerCameAboutIsInItsHead() throws IOException {
        Timestamp version = Timestamp.of(1_767_225_600_000L, 7, 2);
        edge.operations.explanation = explanation(version);
        for (String method : List.of("PUT", "GET", "HEAD", "DELETE")) {
            Answer plain = ask(method, "/v0/entity?id=a&explain=0");
            assertThat(plain.headers())
                    .doesNotContainKeys("x-quorate-explain", "x-quorate-replica");
            Answer answer = ask(method, "/v0/entity?id=a&explain=1");
            assertThat(answer.status()).isEqualTo(plain.status());
            assertThat(answer.text()).isEqualTo(plain.text());
            assertThat(answer.header("x-quorate-explain")).isEqualTo("1 of 2 is \"there\"");
            assertThat(answer.header("x-quorate-replica").lines())
                    .containsExactly(
                            "n1; answer=stored; version=" + version + "; millis=1.250",
                            "n2; answer=failed; reason=timeout;"
                                    + " detail=\"no 'answer'\"; millis=1000.007");
        }
        edge.operations.explanation = null;
        edge.operations.forced = new Outcome.Refused("The disk is full.", 30);
        assertThat(ask("GET", "/v0/entity?id=a&explain=1").header("x-quorate-explain"))
                .isEqualTo("no replica was asked: The disk is full.");
    }

    @Test
    void aReadThatTooFewAnsweredIsA504WithoutAVersion() throws IOException {
        edge.operations.forced = new QuorumFailed(null, List.of(), List.of(), Explanation.NONE);
        Answer answer = ask("GET", "/v0/entity?id=a");
        assertThat(answer.status()).isEqualTo(504);
        assertThat(answer.headers()).doesNotContainKeys("etag", "x-quorate-version");
        assertThat(answer.text()).contains("\"failures\":[]").doesNotContain("version");
    }

    @Test
    void aVersionThatIsTooOldIsAConflictAndNotToBeSentAgain() throws IOException {
        Timestamp version = Timestamp.of(1_767_225_600_000L, 7, 2);
        edge.operations.forced = new Outcome.TooOld(version, explanation(version));
        String header = "x-quorate-version: " + version + "\r\n";
        for (Answer answer :
                List.of(
                        ask("PUT", "/v0/entity?id=a", header, "b"),
                        ask("DELETE", "/v0/entity?id=a", header, ""))) {
            assertThat(answer.status()).isEqualTo(409);
            assertThat(answer.headers()).doesNotContainKeys("etag", "x-quorate-version");
            assertThat(answer.text())
                    .contains("\"version\":\"" + version + "\"", "Nothing was written.")
                    .contains("\"explanation\":{\"reasons\":[\"1 of 2 is ")
                    .contains("\"retry\":\"Not with this version.");
        }
    }

    @Test
    void anIndeterminateWriteThatAReplicaFindsTooOldIsNotAdvisedToBeSentAgain() throws IOException {
        Timestamp version = Timestamp.of(1_767_225_600_000L, 7, 2);
        edge.operations.forced =
                new QuorumFailed(
                        version,
                        List.of("n1"),
                        List.of(
                                new ReplicaFailure("n2", Failure.TOO_OLD, "from long ago"),
                                new ReplicaFailure("n3", Failure.TIMEOUT, "no answer")),
                        explanation(version));
        String header = "x-quorate-version: " + version + "\r\n";
        for (Answer answer :
                List.of(
                        ask("PUT", "/v0/entity?id=a", header, "b"),
                        ask("DELETE", "/v0/entity?id=a", header, ""))) {
            assertThat(answer.status()).isEqualTo(504);
            assertThat(answer.header("x-quorate-version")).isEqualTo(version.toString());
            assertThat(answer.text())
                    .contains("\"retry\":\"Read the key first", "refused by n2, and")
                    .doesNotContain("Send the same request");
        }
    }
}
