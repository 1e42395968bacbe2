package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The API of clients, row by row of what users are promised. */
final class ClientApiTest extends ClientOfAnEdge {

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
        assertThat(edge.operations.linearizable.get()).isEqualTo(2);
    }

    /** It is read from beside the class that serves it. */
    @Test
    void theDescriptionOfTheApiIsServed() throws IOException {
        assertThat(ask("GET", "/openapi.json").text()).contains("\"openapi\": \"3.1");
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
    void aHeadAnswersLikeAGetWithoutTheBody() throws IOException {
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

    @Test
    void theStatusPageAnswers() throws IOException {
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

    @Test
    void theReportOnAKeyIsJsonOrText() throws IOException {
        assertThat(ask("GET", "/admin/why?id=a%2fb").text()).isEqualTo("why a/b");
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
    void anOverloadedNodeSendsRetryAfter() throws IOException {
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

    @Test
    void theObserverReceivesEveryOperation() throws IOException {
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

    @Test
    void noCacheServesWhatIsOutdated() throws IOException {
        ask("PUT", "/v0/entity?id=a", "", "value");
        Answer value = ask("GET", "/v0/entity?id=a");
        String unchanged = "If-None-Match: " + value.header("etag") + "\r\n";
        for (Answer answer :
                List.of(
                        value,
                        ask("HEAD", "/v0/entity?id=a"),
                        ask("GET", "/v0/entity?id=a", unchanged, ""),
                        ask("GET", "/v0/entity?id=a", "Range: bytes=1-2\r\n", ""))) {
            assertThat(answer.header("cache-control")).isEqualTo("no-cache");
        }
        for (String target :
                List.of(
                        "/v0/entity?id=absent",
                        "/v0/entity",
                        "/v0/entities?prefix=",
                        "/v0/entities?prefix=&limit=1&cursor=",
                        "/v0/status",
                        "/v0/nothing",
                        "/livez",
                        "/metrics")) {
            assertThat(ask("GET", target).header("cache-control")).as(target).isEqualTo("no-store");
        }
        assertThat(ask("PUT", "/v0/entity?id=a", "", "2").header("cache-control"))
                .isEqualTo("no-store");
    }
}
