package dev.quorate.testkit.live;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.jspecify.annotations.Nullable;

/** Sends conditional writes of one key, to any node. */
final class ConditionalClient implements AutoCloseable {

    /**
     * A conditional PUT.
     *
     * @param condition a header line
     * @param value of the key
     * @param version which each of its attempts carries; null for one that a node gives it
     */
    record Write(String condition, String value, @Nullable String version) {

        static Write ifAbsent(String value) {
            return new Write("If-None-Match: *", value, null);
        }

        static Write ifMatch(String tag, String value) {
            return new Write("If-Match: " + tag, value, null);
        }

        Write withVersion(@Nullable String newVersion) {
            return new Write(condition, value, newVersion);
        }
    }

    private final String path;
    private final NodeClient client = new NodeClient();

    ConditionalClient(String key) {
        this.path = "/v0/entity?id=" + key;
    }

    HttpResponse<String> get(String node) throws IOException {
        return client.send(NodeClient.request(node + path).build(), BodyHandlers.ofString());
    }

    /**
     * Sends a write once.
     *
     * @param parameters such as {@code &ttl=1}, or empty
     */
    HttpResponse<String> put(String node, Write write, String parameters) throws IOException {
        String[] condition = write.condition().split(": ", 2);
        HttpRequest.Builder request =
                NodeClient.request(node + path + parameters)
                        .header(condition[0], condition[1])
                        .PUT(BodyPublishers.ofString(write.value()));
        String version = write.version();
        if (version != null) {
            request.header("X-Quorate-Version", version);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    static String tag(HttpResponse<String> answer) {
        return answer.headers().firstValue("ETag").orElseThrow();
    }

    @Override
    public void close() {
        client.close();
    }
}
