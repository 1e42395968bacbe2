package dev.quorate.testkit.live;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * An HTTP/1.1 client of nodes. Load generators and {@code ./quorate check} have clients of their
 * own: the first for speed, the other because it records a history.
 */
public final class NodeClient implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .proxy(HttpClient.Builder.NO_PROXY)
                    .build();

    /** A request that fails after ten seconds. */
    public static HttpRequest.Builder request(String url) {
        return HttpRequest.newBuilder(URI.create(url)).timeout(TIMEOUT);
    }

    /**
     * Sends a GET and waits for the answer.
     *
     * @throws IOException if there is no answer
     */
    public HttpResponse<byte[]> get(String url) throws IOException {
        return send(request(url).build(), BodyHandlers.ofByteArray());
    }

    /**
     * Sends a request and waits for the answer.
     *
     * @throws IOException if there is no answer
     */
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> body) throws IOException {
        try {
            return http.send(request, body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Sends a request. */
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> body) {
        return http.sendAsync(request, body);
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
