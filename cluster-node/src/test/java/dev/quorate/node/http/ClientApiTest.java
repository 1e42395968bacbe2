package dev.quorate.node.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.coordinator.Explanation;
import dev.quorate.node.coordinator.Outcome;
import dev.quorate.node.coordinator.Outcome.QuorumFailed;
import dev.quorate.node.coordinator.Outcome.ReplicaFailure;
import dev.quorate.node.coordinator.ScanScope;
import dev.quorate.node.http.RawClient.Answer;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The API of clients, row by row of what users are promised. */
final class ClientApiTest {

    private Edge edge;
    private RawClient client;

    @BeforeEach
    void start() throws IOException {
        edge = Edge.start();
        client = edge.client();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        edge.close();
    }

    private Answer ask(String method, String target, String headers, String body)
            throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
        client.send(
                method
                        + " "
                        + target
                        + " HTTP/1.1\r\nHost: x\r\n"
                        + headers
                        + (bytes.length == 0 ? "" : "Content-Length: " + bytes.length + "\r\n")
                        + "\r\n"
                        + body);
        return client.read(method.equals("HEAD"));
    }

    private Answer ask(String method, String target) throws IOException {
        return ask(method, target, "", "");
    }

    private Answer put(String key, String value) throws IOException {
        return ask("PUT", "/v0/entity?id=" + key, "", value);
    }

    @Test
    void consistencyIsPassedOn() throws IOException {
        for (String method : new String[] {"PUT", "GET", "DELETE"}) {
            assertThat(ask(method, "/v0/entity?id=a&consistency=quorum").status())
                    .isBetween(200, 202);
        }
        assertThat(edge.operations.linearizable.get()).isZero();
        for (String method : new String[] {"PUT", "GET", "DELETE"}) {
            String target = "/v0/entity?id=a&consistency=linearizable&replicas=2/3";
            assertThat(ask(method, target).status()).isBetween(200, 202);
        }
        assertThat(edge.operations.linearizable.get()).isEqualTo(3);
    }

    @Test
    void anEntityIsStoredReadOverwrittenAndDeleted() throws IOException {
        assertThat(ask("GET", "/v0/entity?id=fruit").status()).isEqualTo(404);

        Answer stored = put("fruit", "apple");
        assertThat(stored.status()).isEqualTo(201);
        assertThat(stored.body()).isEmpty();
        String version = stored.header("x-quorate-version");
        assertThat(Timestamp.parse(version).toString()).isEqualTo(version);
        assertThat(stored.header("etag")).isEqualTo("\"" + version + "\"");

        Answer found = ask("GET", "/v0/entity?id=fruit");
        assertThat(found.status()).isEqualTo(200);
        assertThat(found.text()).isEqualTo("apple");
        assertThat(found.header("x-quorate-version")).isEqualTo(version);
        assertThat(found.header("etag")).isEqualTo("\"" + version + "\"");

        assertThat(put("fruit", "pear").status()).isEqualTo(201);
        assertThat(ask("GET", "/v0/entity?id=fruit").text()).isEqualTo("pear");

        Answer deleted = ask("DELETE", "/v0/entity?id=fruit");
        assertThat(deleted.status()).isEqualTo(202);
        Answer gone = ask("GET", "/v0/entity?id=fruit");
        assertThat(gone.status()).isEqualTo(404);
        assertThat(gone.header("x-quorate-version")).isEqualTo(deleted.header("x-quorate-version"));
        assertThat(gone.header("content-type")).isEqualTo("application/problem+json");
    }

    @Test
    void aTimeToLiveIsCountedFromTheVersion() throws IOException {
        byte[] key = "brief".getBytes(StandardCharsets.US_ASCII);
        for (long seconds : new long[] {1, 60, 315_360_000}) {
            Answer stored = ask("PUT", "/v0/entity?id=brief&ttl=" + seconds, "", "x");
            assertThat(stored.status()).isEqualTo(201);
            Entry entry = edge.operations.entries.get(key);
            assertThat(entry.expiresAtMillis())
                    .isEqualTo(entry.timestamp().wallMillis() + 1000 * seconds);
        }
        assertThat(put("brief", "y").status()).isEqualTo(201);
        assertThat(edge.operations.entries.get(key).expiresAtMillis()).isEqualTo(Entry.NEVER);
    }

    @Test
    void anAbsentKeyCanBeDeleted() throws IOException {
        assertThat(ask("DELETE", "/v0/entity?id=never").status()).isEqualTo(202);
    }

    @Test
    void anEmptyValueIsAValue() throws IOException {
        assertThat(ask("PUT", "/v0/entity?id=empty").status()).isEqualTo(201);
        Answer found = ask("GET", "/v0/entity?id=empty");
        assertThat(found.status()).isEqualTo(200);
        assertThat(found.body()).isEmpty();
    }

    @Test
    void aHeadSaysWhatAGetWouldWithoutItsBody() throws IOException {
        put("fruit", "apple");
        Answer get = ask("GET", "/v0/entity?id=fruit");
        Answer head = ask("HEAD", "/v0/entity?id=fruit");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.headers()).isEqualTo(get.headers());
        assertThat(ask("HEAD", "/v0/entity?id=none").status()).isEqualTo(404);
        assertThat(ask("HEAD", "/v0/entity").status()).isEqualTo(400);
        assertThat(ask("HEAD", "/v0/status").status()).isEqualTo(200);
        assertThat(ask("HEAD", "/v0/entities?start=a").status()).isEqualTo(200);
        assertThat(ask("GET", "/v0/entity?id=fruit").text()).isEqualTo("apple");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v0/entity",
        "GET, /v0/entity?",
        "GET, /v0/entity?id",
        "GET, /v0/entity?id=",
        "GET, /v0/entity?id=&id=a",
        "GET, /v0/entity?id=a&id=a",
        "GET, /v0/entity?ID=a",
        "GET, /v0/entity?i%64=a",
        "GET, /v0/entity?id=a&replcas=3/3",
        "GET, /v0/entity?id=%",
        "GET, /v0/entity?id=%4",
        "GET, /v0/entity?id=%ZZ",
        "GET, /v0/entity?id=a%4G",
        "GET, /v0/entity?id=%%41",
        "PUT, /v0/entity?id=a%",
        "DELETE, /v0/entity?id=a%1",
        "GET, /",
        "GET, /v0",
        "GET, /v0/",
        "GET, /v0/entity/",
        "GET, /v0/Entity?id=a",
        "GET, /v0/entities",
        "GET, /v0/entities?start=",
        "GET, /v0/entities?start=a&end=",
        "PUT, /v0/entity?id=a&ttl=0",
        "PUT, /v0/entity?id=a&ttl=",
        "PUT, /v0/entity?id=a&ttl=-1",
        "PUT, /v0/entity?id=a&ttl=1.5",
        "PUT, /v0/entity?id=a&ttl=10s",
        "PUT, /v0/entity?id=a&ttl=315360001",
        "PUT, /v0/entity?id=a&ttl=99999999999999999999",
        "PUT, /v0/entity?id=a&ttl=1&ttl=1",
        "GET, /v0/entity?id=a&ttl=1",
        "GET, /v0/entity?id=a&consistency=",
        "GET, /v0/entity?id=a&consistency=Linearizable",
        "GET, /v0/entity?id=a&consistency=linearizable&consistency=linearizable",
        "PUT, /v0/entity?id=a&consistency=strong",
        "GET, /v0/entity?id=a&explain=",
        "GET, /v0/entity?id=a&explain",
        "GET, /v0/entity?id=a&explain=true",
        "PUT, /v0/entity?id=a&explain=2",
        "DELETE, /v0/entity?id=a&explain=01",
        "GET, /v0/entity?id=a&explain=1&explain=1",
        "GET, /v0/entities?start=a&explain=1",
        "PUT, /v0/entity?id=a&consistency=linearizable&replicas=1/3",
        "DELETE, /v0/entity?id=a&consistency=linearizable&replicas=1/2",
        "GET, /v0/entities?start=a&consistency=linearizable",
        "DELETE, /v0/entity?id=a&ttl=1",
        "GET, /v0/entities?start=a&limit=0",
        "GET, /v0/entities?start=a&limit=-1",
        "GET, /v0/entities?start=a&limit=1x",
        "GET, /v0/entities?start=a&limit=",
        "GET, /v0/entities?start=a&scope=all",
        "GET, /v0/entities?start=a&start=b",
        "GET, /peer/v1/exchange",
        "GET, /admin/why",
        "GET, /admin/why?id=",
        "GET, /admin/why?id=%4",
        "GET, /admin/why?id=a&id=a",
        "GET, /admin/why?id=a&replicas=2/3",
        "GET, /admin/why?key=a",
    })
    void whatMakesNoSenseIsRefusedBeforeAnyWork(String method, String target) throws IOException {
        Answer answer = ask(method, target);
        if (target.equals("/")) {
            assertThat(answer.status()).isEqualTo(200);
            return;
        }
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
        assertThat(answer.text()).contains("\"status\":400").contains("\"title\":\"Bad Request\"");
        assertThat(edge.operations.writes).hasValue(0);
        assertThat(edge.operations.reads).hasValue(0);
        assertThat(edge.operations.openScans).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "replicas=0/3",
                "replicas=3/2",
                "replicas=-1/3",
                "replicas=+2/3",
                "replicas=2/3/4",
                "replicas=%202/3",
                "replicas=2/3%20",
                "replicas=2",
                "replicas=/",
                "replicas=2/",
                "replicas=/3",
                "replicas=",
                "replicas",
                "replicas=1/4",
                "replicas=4294967297/3",
                "replicas=2147483648/2147483648",
                "replicas=%D9%A2/%D9%A3",
                "replicas=0x1/3",
                "replicas=1/0",
                "replicas=0/0",
                "replicas=1.0/3",
                "replicas=%zz/3",
                "replicas=2/3&replicas=2/3",
                "replicas=2/3&ack=2&from=3",
                "replicas=2/3&ack=2",
                "replicas=2/3&from=3",
                "ack=0&from=3",
                "ack=4&from=3",
                "ack=4",
                "from=0",
                "from=4",
                "ack=&from=3",
                "ack=1&from=",
                "ack=+1&from=3",
                "ack=1&ack=1&from=3",
                "ack=1&from=3&from=3",
                "ack=99999999999999999999&from=3"
            })
    void replicasThatMakeNoSenseAreRefused(String replicas) throws IOException {
        for (String method : List.of("GET", "PUT", "DELETE", "HEAD")) {
            assertThat(ask(method, "/v0/entity?id=a&" + replicas).status())
                    .as("%s %s", method, replicas)
                    .isEqualTo(400);
        }
        assertThat(ask("GET", "/v0/entities?start=a&" + replicas).status()).isEqualTo(400);
        assertThat(edge.operations.specs).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'', 2/3",
        "&replicas=1/1, 1/1",
        "&replicas=3/3, 3/3",
        "&replicas=2%2F3, 2/3",
        "&replicas=%31/2, 1/2",
        "&ack=1&from=2, 1/2",
        "&from=3&ack=3, 3/3",
        "&from=1, 1/1",
        "&from=2, 2/2",
        "&ack=3, 3/3",
        "&ack=1, 1/3",
        "&replicas=0000002/03, 2/3",
    })
    void replicasAreReadInEitherSpelling(String parameters, String spec) throws IOException {
        ask("GET", "/v0/entity?id=a" + parameters);
        ask("PUT", "/v0/entity?id=a" + parameters);
        ask("GET", "/v0/entities?start=a" + parameters);
        assertThat(edge.operations.specs).extracting(QuorumSpec::toString).containsOnly(spec);
        assertThat(edge.operations.specs).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v0/entity?id=a, 'GET, HEAD, PUT, DELETE'",
        "PATCH, /v0/entity, 'GET, HEAD, PUT, DELETE'",
        "get, /v0/entity?id=a, 'GET, HEAD, PUT, DELETE'",
        "OPTIONS, /v0/entity?id=a, 'GET, HEAD, PUT, DELETE'",
        "PUT, /v0/entities?start=a, 'GET, HEAD'",
        "DELETE, /v0/entities?start=a, 'GET, HEAD'",
        "POST, /v0/status, 'GET, HEAD'",
        "PUT, /metrics, 'GET, HEAD'",
        "DELETE, /livez, 'GET, HEAD'",
        "POST, /, 'GET, HEAD'",
        "POST, /admin/why?id=a, 'GET, HEAD'",
    })
    void anotherMethodIsToldWhichThereAre(String method, String target, String allow)
            throws IOException {
        Answer answer = ask(method, target);
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("allow")).isEqualTo(allow);
        assertThat(edge.operations.writes).hasValue(0);
    }

    @Test
    void theNodeSaysThatItServes() throws IOException {
        assertThat(ask("GET", "/v0/status").status()).isEqualTo(200);
        for (String page : List.of("/livez", "/readyz", "/metrics", "/")) {
            assertThat(ask("GET", page).text()).isEqualTo(page);
        }
    }

    @Test
    void theStatusPageIsAsLongAsItIsAskedFor() throws IOException {
        for (int bytes : new int[] {100, 100, 0, 1, 65_536, 1_024, 100}) {
            Answer answer = ask("GET", "/v0/status?bytes=" + bytes);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).isEqualTo(".".repeat(bytes));
        }
        assertThat(ask("GET", "/v0/status").text()).startsWith("The node serves.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "+1", "1k", "65537", "99999999999999999999", "%31"})
    void theStatusPageHasALimit(String bytes) throws IOException {
        Answer answer = ask("GET", "/v0/status?bytes=" + bytes);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).contains("'bytes' has to be a number, 0 to 65536");
        assertThat(ask("GET", "/v0/status?byte=1").status()).isEqualTo(400);
    }

    @Test
    void whoAsksWhyIsAnsweredWithJsonOrText() throws IOException {
        assertThat(ask("GET", "/admin/why?id=a%2fb").text()).isEqualTo("why a/b for programs");
        assertThat(ask("GET", "/admin/why?id=a", "Accept: text/plain\r\n", "").text())
                .isEqualTo("why a for people");
        assertThat(ask("GET", "/admin/why?id=" + "a".repeat(1_025)).status()).isEqualTo(414);
    }

    @Test
    void aStoppingNodeTurnsWorkAwayAndStillShowsItsPages() throws IOException {
        edge.draining = true;
        for (String target : List.of("/v0/entity?id=a", "/v0/entities?start=a", "/v0/status")) {
            Answer answer = ask("GET", target);
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.header("retry-after")).isEqualTo("1");
        }
        assertThat(put("a", "b").status()).isEqualTo(503);
        assertThat(ask("GET", "/livez").status()).isEqualTo(200);
        assertThat(edge.operations.writes).hasValue(0);
        assertThat(edge.operations.reads).hasValue(0);
    }

    @Test
    void aWriteThatTooFewConfirmedIsIndeterminateAndSaysHowToRetry() throws IOException {
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
                                                "n1", new Explanation.Told.Keeps(version), 1_250),
                                        new Explanation.Reply(
                                                "n2",
                                                new Explanation.Told.Failed(
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
                    .contains("\"version\":\"" + version + "\"", "Nothing was written by this")
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

    @Test
    void aLossIsAcceptedByItsNameAndByAPostAlone() throws IOException {
        assertThat(ask("GET", "/admin/loss").text()).isEqualTo("/admin/loss");
        assertThat(ask("GET", "/admin/loss?accept=1.sst-2-ff").text()).isEqualTo("/admin/loss");
        assertThat(ask("POST", "/admin/loss?accept=1.sst-2-ff", "", "").text())
                .isEqualTo("without 1.sst-2-ff");
        for (String query : List.of("", "?accept", "?accept=", "?accept=1&accept=1", "?name=1")) {
            assertThat(ask("POST", "/admin/loss" + query, "", "").status())
                    .as(query)
                    .isEqualTo(400);
        }
        assertThat(ask("PUT", "/admin/loss?accept=1", "", "").status()).isEqualTo(405);
    }

    @Test
    void anOverloadedNodeSaysWhenToComeBack() throws IOException {
        edge.operations.forced = new Outcome.Refused("The disk is full.", 30);
        Answer answer = put("a", "b");
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("retry-after")).isEqualTo("30");
        assertThat(answer.text()).contains("The disk is full.");
    }

    @Test
    void aRetryCarriesTheVersionOfTheFirstAttempt() throws IOException {
        Timestamp version = Timestamp.of(1_767_225_600_000L, 7, 2);
        String header = "x-quorate-VERSION: " + version + "\r\n";
        Answer answer = ask("PUT", "/v0/entity?id=a", header, "first");
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.header("x-quorate-version")).isEqualTo(version.toString());
        assertThat(ask("DELETE", "/v0/entity?id=b", header, "").header("x-quorate-version"))
                .isEqualTo(version.toString());
        put("a", "newer");
        ask("PUT", "/v0/entity?id=a", header, "first");
        assertThat(ask("GET", "/v0/entity?id=a").text()).isEqualTo("newer");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "",
                "\"019b75a8a0000007-00000002\"",
                "019B75A8A0000007-00000002",
                "019b75a8a0000007-00000002,019b75a8a0000007-00000002",
            })
    void aVersionThatIsNoneIsRefused(String value) throws IOException {
        String header = "X-Quorate-Version: " + value + "\r\n";
        assertThat(ask("PUT", "/v0/entity?id=a", header, "v").status()).isEqualTo(400);
        assertThat(ask("DELETE", "/v0/entity?id=a", header, "").status()).isEqualTo(400);
        String twice = "X-Quorate-Version: 019b75a8a0000007-00000002\r\n".repeat(2);
        assertThat(ask("PUT", "/v0/entity?id=a", twice, "v").status()).isEqualTo(400);
        assertThat(edge.operations.writes).hasValue(0);
    }

    @Test
    void aRangeIsSortedAndEveryEntryIsAChunk() throws IOException {
        for (int i = 0; i < 25; i++) {
            put("key" + (char) ('a' + i), "value" + i);
        }
        ask("DELETE", "/v0/entity?id=keyc");
        Answer answer = ask("GET", "/v0/entities?start=keyb&end=keye");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("transfer-encoding")).isEqualTo("chunked");
        assertThat(answer.header("content-type")).isEqualTo("application/octet-stream");
        assertThat(answer.text()).isEqualTo("keyb\nvalue1keyd\nvalue3");
        assertThat(answer.chunks()).isEqualTo(2);

        assertThat(ask("GET", "/v0/entities?start=keya").chunks()).isEqualTo(24);
        assertThat(ask("GET", "/v0/entities?start=keya&limit=12").chunks()).isEqualTo(12);
        assertThat(ask("GET", "/v0/entities?start=keya&limit=10").chunks()).isEqualTo(10);
        assertThat(ask("GET", "/v0/entities?start=z").chunks()).isZero();
        assertThat(ask("GET", "/v0/entities?start=keyb&end=keya").chunks()).isZero();
        await().untilAtomic(edge.operations.openScans, equalTo(0));
        assertThat(edge.operations.scopes).containsOnly(ScanScope.CLUSTER);
        ask("GET", "/v0/entities?start=a&scope=node");
        assertThat(edge.operations.scopes).endsWith(ScanScope.NODE);
    }

    @Test
    void aRangeCanBeHadAsJsonLines() throws IOException {
        String version = put("%00%FF", "line\nfeed").header("x-quorate-version");
        put("b", "");
        for (String accept :
                List.of("application/x-ndjson", "text/html, Application/X-NDJSON;q=0.9, */*")) {
            Answer answer = ask("GET", "/v0/entities?start=%00", "Accept: " + accept + "\r\n", "");
            assertThat(answer.header("content-type")).isEqualTo("application/x-ndjson");
            assertThat(answer.text().lines().toList())
                    .hasSize(2)
                    .first()
                    .isEqualTo(
                            "{\"key\":\"AP8=\",\"value\":\"bGluZQpmZWVk\",\"version\":\""
                                    + version
                                    + "\"}");
        }
    }

    @Test
    void aRangeThatCannotBeginIsA504AndOneThatCannotEndIsCutOff() throws IOException {
        edge.operations.batchEntries = 2;
        for (int i = 0; i < 9; i++) {
            put("key" + i, "value");
        }
        edge.operations.batchesUntilFailure = 0;
        assertThat(ask("GET", "/v0/entities?start=a").status()).isEqualTo(504);

        edge.operations.batchesUntilFailure = 3;
        client.send("GET /v0/entities?start=a HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(wholeAnswer(client))
                .startsWith("HTTP/1.1 200")
                .contains("key5\nvalue")
                .doesNotContain("key6")
                .doesNotContain("\r\n0\r\n");
        await().untilAtomic(edge.operations.openScans, equalTo(0));
    }

    @Test
    void aRangeForAnOldClientIsCutOffWithAnError() throws IOException {
        edge.operations.batchEntries = 2;
        for (int i = 0; i < 9; i++) {
            put("key" + i, "value");
        }
        try (RawClient old = edge.client()) {
            old.send("GET /v0/entities?start=a HTTP/1.0\r\n\r\n");
            Answer whole = old.read();
            assertThat(whole.headers()).doesNotContainKey("transfer-encoding");
            assertThat(whole.text()).startsWith("key0\nvaluekey1").endsWith("key8\nvalue");
        }
        edge.operations.batchesUntilFailure = 3;
        try (RawClient old = edge.client()) {
            old.send("GET /v0/entities?start=a HTTP/1.0\r\n\r\n");
            assertThatThrownBy(() -> wholeAnswer(old)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void theObserverIsToldOfEveryOperation() throws IOException {
        put("a", "b");
        ask("GET", "/v0/entity?id=a");
        ask("HEAD", "/v0/entity?id=none");
        ask("DELETE", "/v0/entity?id=a");
        ask("GET", "/v0/entity");
        ask("POST", "/v0/entity");
        ask("GET", "/nothing");
        ask("GET", "/v0/status");
        ask("GET", "/metrics");
        ask("GET", "/v0/entities?start=a");
        await().until(edge.observed::size, equalTo(10));
        assertThat(edge.observed)
                .containsExactly(
                        "PUT 201",
                        "GET 200",
                        "GET 404",
                        "DELETE 202",
                        "GET 400",
                        "OTHER 405",
                        "OTHER 400",
                        "STATUS 200",
                        "PAGE 200",
                        "SCAN 200");
    }

    private static String wholeAnswer(RawClient client) throws IOException {
        StringBuilder all = new StringBuilder();
        for (byte[] b = client.upTo(1000); b.length > 0; b = client.upTo(1000)) {
            all.append(new String(b, StandardCharsets.ISO_8859_1));
        }
        return all.toString();
    }
}
