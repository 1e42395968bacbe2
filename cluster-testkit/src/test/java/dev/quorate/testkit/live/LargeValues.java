package dev.quorate.testkit.live;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;

/** Puts and gets values that this JVM does not hold. */
final class LargeValues implements AutoCloseable {

    /** Not a status: the connection was closed instead. */
    private static final int NO_ANSWER = 0;

    private static final byte[] PIECE = new byte[64 << 10];

    private final int pieces;
    private final NodeClient client = new NodeClient();

    /**
     * @param valueBytes a multiple of 65,536
     */
    LargeValues(int valueBytes) {
        pieces = valueBytes / PIECE.length;
    }

    CompletableFuture<Integer> put(String base, String key, String replicas) {
        return send(
                request(base, key, replicas)
                        .PUT(
                                BodyPublishers.fromPublisher(
                                        BodyPublishers.ofByteArrays(
                                                Collections.nCopies(pieces, PIECE)),
                                        (long) pieces * PIECE.length)));
    }

    CompletableFuture<Integer> get(String base, String key, String replicas) {
        return send(request(base, key, replicas).GET());
    }

    private static HttpRequest.Builder request(String base, String key, String replicas) {
        return NodeClient.request(base + "/v0/entity?id=" + key + "&replicas=" + replicas)
                .timeout(Duration.ofSeconds(30));
    }

    /** The status. A refusal may close the connection while the value is still on its way. */
    private CompletableFuture<Integer> send(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.discarding())
                .thenApply(HttpResponse::statusCode)
                .exceptionally(failure -> NO_ANSWER);
    }

    @Override
    public void close() {
        client.close();
    }
}
