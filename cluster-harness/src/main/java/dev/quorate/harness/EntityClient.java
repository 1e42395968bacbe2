package dev.quorate.harness;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A plain client of the entity API, one node each. */
public final class EntityClient implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final String base;
    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(2))
                    .build();

    /** A client of the node at {@code http://host:port}. */
    public EntityClient(String base) {
        this.base = base;
    }

    /** Stores a value. */
    public HttpResponse<String> put(String key, String value, String replicas) throws IOException {
        return send(request(key, replicas).PUT(BodyPublishers.ofString(value)).build());
    }

    /** Stores a value that lives for so many seconds. */
    public HttpResponse<String> put(String key, String value, String replicas, int ttlSeconds)
            throws IOException {
        return send(
                request(key, replicas + "&ttl=" + ttlSeconds)
                        .PUT(BodyPublishers.ofString(value))
                        .build());
    }

    /** Reads a value. */
    public HttpResponse<String> get(String key, String replicas) throws IOException {
        return send(request(key, replicas).GET().build());
    }

    /** Deletes a value. */
    public HttpResponse<String> delete(String key, String replicas) throws IOException {
        return send(request(key, replicas).DELETE().build());
    }

    /** Asks for any other path. */
    public HttpResponse<String> path(String pathAndQuery) throws IOException {
        return send(
                HttpRequest.newBuilder(URI.create(base + pathAndQuery)).timeout(TIMEOUT).build());
    }

    private HttpRequest.Builder request(String key, String replicas) {
        String id = URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");
        return HttpRequest.newBuilder(
                        URI.create(base + "/v0/entity?id=" + id + "&replicas=" + replicas))
                .timeout(TIMEOUT);
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
