package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.connection.RawClient.Answer;
import dev.quorate.node.http.parse.ParserTranscript;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome.QuorumFailed;
import dev.quorate.router.coordinator.operation.Outcome.ReplicaFailure;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What clients are told by a node that has more to do than it can do in time. */
final class OverloadedTest extends ClientOfAnEdge {

    private static final String GET = "GET /v0/entity?id=a HTTP/1.1|Host: x||";
    private static final String STATUS = "GET /v0/status HTTP/1.1|Host: x||";
    private static final int LENGTH = 1 << 20;

    private Answer ask(String request) throws IOException {
        return client.send(ParserTranscript.bytes(request)).read();
    }

    private static String put(int length) {
        return "PUT /v0/entity?id=a HTTP/1.1|Host: x|Content-Length: " + length + "||";
    }

    private static void assertRefused(Answer answer) {
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("retry-after")).isEqualTo("1");
        assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
    }

    @Test
    void aRefusedReadCostsNeitherWorkNorTheConnection() throws IOException {
        edge.operations.refusesReads = true;
        assertRefused(ask(GET));
        assertRefused(ask(GET));
        assertThat(edge.operations.reads).hasValue(0);
        assertThat(ask(STATUS).status()).as("what is asked to see how it is").isEqualTo(200);
        edge.operations.refusesReads = false;
        assertThat(ask(GET).status()).isEqualTo(404);
    }

    @Test
    void readsAndWritesAreRefusedEachForItself() throws IOException {
        edge.operations.refusesWrites = true;
        assertThat(ask(GET).status()).isEqualTo(404);
        assertRefused(ask(put(3) + "abc"));
        assertRefused(ask("DELETE /v0/entity?id=a HTTP/1.1|Host: x||"));
        assertThat(edge.operations.writes).hasValue(0);
        assertThat(edge.observed).containsExactly("GET 404", "PUT 503", "DELETE 503");
    }

    @Test
    void theBodyOfARefusedWriteIsDiscardedAsItArrives() throws IOException {
        edge.operations.refusesWrites = true;
        client.send(ParserTranscript.bytes(put(LENGTH))).send(new byte[LENGTH - 1]);
        long sent = ParserTranscript.bytes(put(LENGTH)).length + LENGTH - 1L;
        await().until(() -> edge.listener.statistics().bytesRead.sum(), equalTo(sent));
        assertThat(edge.listener.inputBytes()).as("bytes held").isZero();
        edge.operations.refusesWrites = false;
        client.send(new byte[1]);
        assertRefused(client.read()); // What was thrown away cannot be written any more.
        assertThat(edge.operations.writes).hasValue(0);
        client.send(ParserTranscript.bytes(put(LENGTH))).send(new byte[LENGTH]);
        assertThat(client.read().status()).isEqualTo(201);
        assertThat(edge.operations.entries.firstEntry().getValue().value()).hasSize(LENGTH);
    }

    @Test
    void theNextRequestBeginsWhereTheBodyThatIsThrownAwayEnds() throws IOException {
        edge.operations.refusesWrites = true;
        String chunked =
                "PUT /v0/entity?id=a HTTP/1.1|Host: x|Transfer-Encoding: chunked||"
                        + "3|abc|a|0123456789|0||";
        client.send(ParserTranscript.bytes(chunked + GET + put(5) + "GET /" + STATUS));
        assertRefused(client.read());
        assertThat(client.read().status()).isEqualTo(404);
        assertRefused(client.read());
        assertThat(client.read().status()).isEqualTo(200);
        assertThat(edge.operations.writes).hasValue(0);
    }

    @Test
    void aClientThatAsksFirstIsSpared() throws IOException {
        edge.operations.refusesWrites = true;
        Answer answer =
                ask(
                        "PUT /v0/entity?id=a HTTP/1.1|Host: x|Expect: 100-continue|"
                                + "Content-Length: 1000000||");
        assertRefused(answer);
        assertThat(client.isAtEnd()).as("whether it sends its body is not known").isTrue();
        assertThat(edge.observed).as("as any other refusal").containsExactly("PUT 503");
        assertThat(edge.listener.statistics().rejected(Rejection.BYTES)).isZero();
    }

    @Test
    void aMalformedBodyThatIsThrownAwayEndsTheConnection() throws IOException {
        edge.operations.refusesWrites = true;
        String request = "PUT /v0/entity?id=a HTTP/1.1|Host: x|Transfer-Encoding: chunked||zz|";
        assertThat(ask(request).status()).isEqualTo(400);
        assertThat(client.isAtEnd()).isTrue();
    }

    @Test
    void aRangeForWhichThereIsNoRoomIsRefusedAndNotFailed() throws IOException {
        edge.operations.batchesUntilFailure = 0;
        edge.operations.scanFailure =
                new QuorumFailed(
                        null,
                        List.of(),
                        List.of(new ReplicaFailure("n1", Failure.OVERLOADED, "too many ranges")),
                        Explanation.NONE);
        assertRefused(ask("GET /v0/entities?start=a HTTP/1.1|Host: x||"));
        edge.operations.scanFailure =
                new QuorumFailed(
                        null,
                        List.of(),
                        List.of(
                                new ReplicaFailure("n1", Failure.OVERLOADED, "too many ranges"),
                                new ReplicaFailure("n2", Failure.UNREACHABLE, "gone")),
                        Explanation.NONE);
        assertThat(ask("GET /v0/entities?start=a HTTP/1.1|Host: x||").status()).isEqualTo(504);
    }
}
