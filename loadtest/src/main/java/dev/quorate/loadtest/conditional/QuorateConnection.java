package dev.quorate.loadtest.conditional;

import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.conditional.HttpConnection.Answer;
import java.io.IOException;
import java.net.URI;

/**
 * To one of our nodes, at {@code 2/3}. The version is the {@code ETag}. An undecided write is sent
 * again under its version until it is decided.
 */
final class QuorateConnection implements StoreConnection {

    private static final String NOTHING = "";
    private static final int LONGEST_PAUSE_MILLIS = 64;

    private final HttpConnection connection;
    private final String parameters;

    /**
     * Connects.
     *
     * @param parameters of each plain PUT, beside {@code id} and {@code replicas}
     */
    QuorateConnection(URI node, String parameters) throws IOException {
        this.connection = new HttpConnection(node);
        this.parameters = parameters;
    }

    private static String target(String key) {
        return "/v0/entity?replicas=2/3&id=" + key;
    }

    @Override
    public Held read(String key) throws IOException, RefusedFigureException {
        Answer answer = connection.send("GET", target(key), "", "");
        return switch (answer.status()) {
            case 200 -> new Held(answer.tag(), answer.body());
            case 404 -> new Held(NOTHING, "");
            default -> throw wrong("a read", answer);
        };
    }

    @Override
    public Written put(String key, String value) throws IOException, RefusedFigureException {
        Answer answer = connection.send("PUT", target(key) + parameters, "", value);
        if (answer.status() != 201) {
            throw wrong("a write", answer);
        }
        return new Written(answer.tag(), 1);
    }

    @Override
    public Written putIf(String key, String version, String value)
            throws IOException, RefusedFigureException, InterruptedException {
        String condition =
                version.equals(NOTHING) ? "If-None-Match: *\r\n" : "If-Match: " + version + "\r\n";
        String sentBefore = "";
        for (long requests = 1; ; requests++) {
            Answer answer = connection.send("PUT", target(key), condition + sentBefore, value);
            switch (answer.status()) {
                case 201 -> {
                    return new Written(answer.tag(), requests);
                }
                case 412 -> {
                    return new Written(null, requests);
                }
                case 503, 504 -> {
                    if (sentBefore.isEmpty() && !answer.version().isEmpty()) {
                        sentBefore = "X-Quorate-Version: " + answer.version() + "\r\n";
                    }
                    Pauses.upTo(LONGEST_PAUSE_MILLIS);
                }
                default -> throw wrong("a write", answer);
            }
        }
    }

    private static RefusedFigureException wrong(String what, Answer answer) {
        return new RefusedFigureException(
                "%s was answered with %d %s".formatted(what, answer.status(), answer.body()));
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
