package dev.quorate.client;

import dev.quorate.client.Endpoints.Endpoint;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Asks each node for the ring: with the third operation, since a program that makes only one gains
 * nothing, and again while operations are made, once a minute, or every few seconds until it is
 * known. Nothing waits for it.
 */
final class RingLearner {

    private static final long INTERVAL_NANOS = 60_000_000_000L;
    private static final long FIRST_INTERVAL_NANOS = 3_000_000_000L;
    private static final int FIRST_OPERATION = 3;
    private static final long TIMEOUT_NANOS = 2_000_000_000L;

    private final Http http;
    private final Endpoints endpoints;
    private final Effects effects;

    // Guarded by this.
    private int operations;
    private boolean isBegun;
    private long lastNanos;

    RingLearner(Http http, Endpoints endpoints, Effects effects) {
        this.http = http;
        this.endpoints = endpoints;
        this.effects = effects;
    }

    /** To be called with each operation. */
    void onOperation() {
        if (endpoints.all().size() == 1) {
            return; // there is nothing to choose
        }
        long now = effects.nanos();
        synchronized (this) {
            operations = Math.min(operations + 1, FIRST_OPERATION);
            if (operations < FIRST_OPERATION) {
                return;
            }
            long interval = endpoints.knowsRing() ? INTERVAL_NANOS : FIRST_INTERVAL_NANOS;
            if (isBegun && now - lastNanos < interval) {
                return;
            }
            isBegun = true;
            lastNanos = now;
        }
        var unused = learn();
    }

    /** Completes when each node has answered, or has not. */
    CompletableFuture<Void> learn() {
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (Endpoint endpoint : endpoints.all()) {
            try {
                answers.add(
                        http.send(endpoint.uri(), Request.get("/v0/ring"), TIMEOUT_NANOS)
                                .attempt()
                                .thenAccept(attempt -> learned(endpoint, attempt)));
            } catch (RejectedExecutionException e) {
                break; // the client is closed
            }
        }
        return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
    }

    private void learned(Endpoint endpoint, Attempt attempt) {
        if (attempt instanceof Attempt.Answered answered && answered.status() == 200) {
            try {
                Json.Members ring =
                        Json.object(new String(answered.body(), StandardCharsets.UTF_8));
                List<String> members = new ArrayList<>();
                for (Object member : ring.list("members")) {
                    members.add(Json.members(member).text("name"));
                }
                Ring.Shape shape =
                        Ring.Shape.checked(
                                ring.number("replication"), ring.number("virtualNodes"), members);
                endpoints.learn(endpoint, ring.text("self"), shape);
            } catch (Json.BadAnswerException e) {
                // As if it had not answered: operations do not depend on it.
            }
        }
    }
}
