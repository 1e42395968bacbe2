package dev.quorate.testkit;

import dev.quorate.testkit.live.NodeClient;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

/** What the client of the testkit cannot ask, or cannot ask without waiting. */
final class NodeRequests {

    private static final NodeClient HTTP = new NodeClient();

    private NodeRequests() {}

    /** The keys and values that a node has itself, as a text. */
    static String keysOf(TestNode node) throws IOException {
        String uri = node.url() + "/v0/entities?start=%00&scope=node";
        return HTTP.send(NodeClient.request(uri).build(), BodyHandlers.ofString()).body();
    }

    /** How many tables a node's store has. */
    static int tablesOf(TestNode node) throws IOException {
        return metricOf(node, "quorate_sstables");
    }

    /** A whole number among a node's metrics. */
    static int metricOf(TestNode node, String name) throws IOException {
        String uri = node.url() + "/metrics";
        String metrics = HTTP.send(NodeClient.request(uri).build(), BodyHandlers.ofString()).body();
        return metrics.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.indexOf(' '))))
                .sum();
    }

    static HttpResponse<String> get(TestNode node, String query) throws IOException {
        String uri = node.url() + "/v0/entity?" + query;
        return HTTP.send(NodeClient.request(uri).build(), BodyHandlers.ofString());
    }

    /** What a node says of a key in the whole cluster, for people. */
    static HttpResponse<String> why(TestNode node, String key) throws IOException {
        String uri = node.url() + "/admin/why?id=" + key;
        HttpRequest request = NodeClient.request(uri).header("Accept", "text/plain").build();
        return HTTP.send(request, BodyHandlers.ofString());
    }

    /** What a node may lose, or the answer to its acceptance. */
    static HttpResponse<String> loss(TestNode node, String method, String query)
            throws IOException {
        String uri = node.url() + "/admin/loss" + query;
        return HTTP.send(
                NodeClient.request(uri).method(method, BodyPublishers.noBody()).build(),
                BodyHandlers.ofString());
    }

    static CompletableFuture<HttpResponse<String>> putLater(
            TestNode node, String query, String value) {
        String uri = node.url() + "/v0/entity?" + query;
        return HTTP.sendAsync(
                NodeClient.request(uri).PUT(BodyPublishers.ofString(value)).build(),
                BodyHandlers.ofString());
    }
}
