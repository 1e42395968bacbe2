package dev.quorate.testkit.cluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

/** What the client of the testkit cannot ask, or cannot ask without waiting. */
final class Requests {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private Requests() {}

    /** The keys and values that a node has itself, as a text. */
    static String keysOf(TestNode node) throws IOException, InterruptedException {
        URI uri = URI.create(node.url() + "/v0/entities?start=%00&scope=node");
        return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
    }

    /** How many tables a node's store has. */
    static int tablesOf(TestNode node) throws IOException, InterruptedException {
        return metricOf(node, "quorate_sstables");
    }

    /** A whole number among a node's metrics. */
    static int metricOf(TestNode node, String name) throws IOException, InterruptedException {
        URI uri = URI.create(node.url() + "/metrics");
        String metrics =
                HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
        return metrics.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.indexOf(' '))))
                .sum();
    }

    static HttpResponse<String> get(TestNode node, String query)
            throws IOException, InterruptedException {
        URI uri = URI.create(node.url() + "/v0/entity?" + query);
        return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    /** What a node says of a key in the whole cluster, for people. */
    static HttpResponse<String> why(TestNode node, String key)
            throws IOException, InterruptedException {
        URI uri = URI.create(node.url() + "/admin/why?id=" + key);
        HttpRequest request = HttpRequest.newBuilder(uri).header("Accept", "text/plain").build();
        return HTTP.send(request, BodyHandlers.ofString());
    }

    /** What a node may lose, or the answer to its acceptance. */
    static HttpResponse<String> loss(TestNode node, String method, String query)
            throws IOException, InterruptedException {
        URI uri = URI.create(node.url() + "/admin/loss" + query);
        return HTTP.send(
                HttpRequest.newBuilder(uri).method(method, BodyPublishers.noBody()).build(),
                BodyHandlers.ofString());
    }

    static CompletableFuture<HttpResponse<String>> putLater(
            TestNode node, String query, String value) {
        URI uri = URI.create(node.url() + "/v0/entity?" + query);
        return HTTP.sendAsync(
                HttpRequest.newBuilder(uri).PUT(BodyPublishers.ofString(value)).build(),
                BodyHandlers.ofString());
    }
}
