package dev.quorate.example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Shopping carts, each a value under its customer's number; goes on while any node answers. */
public final class Carts {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<URI> nodes;

    /**
     * @param nodes where the cluster's nodes answer, such as {@code http://10.0.0.1:8080}
     */
    public Carts(List<URI> nodes) {
        this.nodes = List.copyOf(nodes);
    }

    /**
     * Replaces a customer's cart.
     *
     * @throws IOException if no node could store it
     */
    public void save(int customer, String cart) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                ask(request -> request.PUT(BodyPublishers.ofString(cart)), customer);
        if (answer.statusCode() != 201) {
            throw new IOException("not stored: " + answer.statusCode());
        }
    }

    /**
     * Finds a customer's cart; empty if there is none.
     *
     * @throws IOException if no node could tell
     */
    public Optional<String> find(int customer) throws IOException, InterruptedException {
        HttpResponse<String> answer = ask(HttpRequest.Builder::GET, customer);
        return switch (answer.statusCode()) {
            case 200 -> Optional.of(answer.body());
            case 404 -> Optional.empty();
            default -> throw new IOException("not known: " + answer.statusCode());
        };
    }

    private interface Verb {
        HttpRequest.Builder on(HttpRequest.Builder request);
    }

    /** Asks one node after the other until one has an answer that is not "try elsewhere". */
    private HttpResponse<String> ask(Verb verb, int customer)
            throws IOException, InterruptedException {
        IOException last = new IOException("there are no nodes");
        for (URI node : nodes) {
            URI uri = node.resolve("/v0/entity?id=cart-" + customer);
            HttpRequest request = verb.on(HttpRequest.newBuilder(uri).timeout(PATIENCE)).build();
            try {
                HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
                if (answer.statusCode() < 500) {
                    return answer;
                }
                last = new IOException(node + " answers " + answer.statusCode());
            } catch (IOException e) {
                last = e;
            }
        }
        throw last;
    }
}
