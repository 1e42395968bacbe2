package dev.quorate.testkit.live;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

/** A client of the entity API of one node. */
public final class EntityClient implements AutoCloseable {

    private final String base;
    private final NodeClient client = new NodeClient();

    /** A client of the node at {@code http://host:port}. */
    public EntityClient(String base) {
        this.base = base;
    }

    /** Stores a value. */
    public HttpResponse<String> put(String key, String value, String replicas) throws IOException {
        return send(request(key, replicas).PUT(BodyPublishers.ofString(value)));
    }

    /** Stores a value with a time to live. */
    public HttpResponse<String> put(String key, String value, String replicas, int ttlSeconds)
            throws IOException {
        return put(key, value, replicas + "&ttl=" + ttlSeconds);
    }

    /** Reads a value. */
    public HttpResponse<String> get(String key, String replicas) throws IOException {
        return send(request(key, replicas));
    }

    /** Deletes a value. */
    public HttpResponse<String> delete(String key, String replicas) throws IOException {
        return send(request(key, replicas).DELETE());
    }

    /** Sends a GET for any other path. */
    public HttpResponse<String> path(String pathAndQuery) throws IOException {
        return send(NodeClient.request(base + pathAndQuery));
    }

    private HttpRequest.Builder request(String key, String replicas) {
        String id = URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");
        return NodeClient.request(base + "/v0/entity?id=" + id + "&replicas=" + replicas);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    @Override
    public void close() {
        client.close();
    }
}
