package dev.quorate.client;

import dev.quorate.client.Endpoints.Endpoint;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the node for an attempt: owners of the key before others, and nodes that did not answer
 * recently last. Uses only the addresses that the user gave, because a client may not reach those
 * in the ring. Thread-safe.
 */
final class Endpoints {

    private final List<Endpoint> all;

    // Guarded by this.
    private final Map<String, Endpoint> byMember = new HashMap<>();
    private final Map<Endpoint, Ring.Shape> shapes = new HashMap<>();
    private @Nullable Ring ring;

    Endpoints(List<URI> uris) {
        this.all = uris.stream().distinct().map(Endpoint::new).toList();
    }

    List<Endpoint> all() {
        return all;
    }

    /**
     * The next node; null if all have been asked.
     *
     * @param key the key whose owners are preferred; null for none
     * @param from the number of owners; 0 for the cluster's default
     * @param asked the nodes that were asked in this round
     * @param random chooses among equal nodes
     */
    synchronized @Nullable Endpoint choose(
            byte @Nullable [] key, int from, Set<Endpoint> asked, long nowNanos, long random) {
        List<Endpoint> owners = new ArrayList<>();
        if (ring != null && key != null) {
            for (String member : ring.owners(key, from)) {
                Endpoint owner = byMember.get(member);
                if (owner != null) {
                    owners.add(owner);
                }
            }
        }
        for (boolean isAvoided : new boolean[] {false, true}) {
            for (List<Endpoint> group : List.of(owners, all)) {
                List<Endpoint> left =
                        group.stream()
                                .filter(e -> !asked.contains(e))
                                .filter(e -> e.isAvoided(nowNanos) == isAvoided)
                                .toList();
                if (!left.isEmpty()) {
                    return left.get((int) Long.remainderUnsigned(random, left.size()));
                }
            }
        }
        return null;
    }

    synchronized void note(Endpoint endpoint, Request.Attempt attempt, long nowNanos) {
        endpoint.note(attempt, nowNanos);
    }

    /** Stores the ring of a node. While nodes have different rings, none is used. */
    synchronized void learn(Endpoint endpoint, String member, Ring.Shape shape) {
        byMember.values().remove(endpoint);
        byMember.put(member, endpoint);
        shapes.put(endpoint, shape);
        if (Set.copyOf(shapes.values()).size() > 1) {
            ring = null;
        } else if (ring == null || !ring.shape().equals(shape)) {
            ring = new Ring(shape);
        }
    }

    synchronized boolean knowsRing() {
        return ring != null;
    }

    /** The address and the state of a node. Guarded by its {@link Endpoints}. */
    static final class Endpoint {

        private static final long FIRST_PAUSE_NANOS = 500_000_000L;
        private static final long LONGEST_PAUSE_NANOS = 15_000_000_000L;

        private final URI uri;
        private long avoidedUntilNanos;
        private boolean isAvoided;
        private long pauseNanos;

        Endpoint(URI uri) {
            this.uri = uri;
        }

        URI uri() {
            return uri;
        }

        /** Whether other nodes should be asked first. */
        boolean isAvoided(long nowNanos) {
            return isAvoided && nowNanos - avoidedUntilNanos < 0;
        }

        void note(Request.Attempt attempt, long nowNanos) {
            if (attempt instanceof Request.Attempt.Answered answered) {
                pauseNanos = 0;
                isAvoided = answered.isNothingAttempted();
                avoidedUntilNanos =
                        nowNanos + Math.max(1, answered.retryAfterSeconds()) * 1_000_000_000L;
            } else if (!(attempt instanceof Request.Attempt.TooLarge)) {
                pauseNanos =
                        Math.min(Math.max(FIRST_PAUSE_NANOS, pauseNanos * 2), LONGEST_PAUSE_NANOS);
                isAvoided = true;
                avoidedUntilNanos = nowNanos + pauseNanos;
            }
        }

        @Override
        public String toString() {
            return uri.toString();
        }
    }

    /**
     * Asks each node for the ring in the background: at the third operation, as short programs do
     * not benefit, and during later operations once a minute, or every few seconds while it is
     * unknown.
     */
    static final class RingLearner {

        private static final long INTERVAL_NANOS = 60_000_000_000L;
        private static final long FIRST_INTERVAL_NANOS = 3_000_000_000L;
        private static final int FIRST_OPERATION = 3;
        private static final long TIMEOUT_NANOS = 2_000_000_000L;

        private final Http http;
        private final Endpoints endpoints;
        private final Http.Effects effects;

        // Guarded by this.
        private int operations;
        private boolean isBegun;
        private long lastNanos;

        RingLearner(Http http, Endpoints endpoints, Http.Effects effects) {
            this.http = http;
            this.endpoints = endpoints;
            this.effects = effects;
        }

        /** To be called with each operation. */
        void onOperation() {
            if (endpoints.all().size() == 1) {
                return; // there is only one node to ask
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

        /** Completes when each node has answered or failed. */
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

        private void learned(Endpoint endpoint, Request.Attempt attempt) {
            if (attempt instanceof Request.Attempt.Answered answered && answered.status() == 200) {
                try {
                    Json.Members ring =
                            Json.object(new String(answered.body(), StandardCharsets.UTF_8));
                    List<String> members = new ArrayList<>();
                    for (Object member : ring.list("members")) {
                        members.add(Json.members(member).text("name"));
                    }
                    long replication = ring.number("replication");
                    long virtualNodes = ring.number("virtualNodes");
                    Ring.Shape shape = Ring.Shape.checked(replication, virtualNodes, members);
                    endpoints.learn(endpoint, ring.text("self"), shape);
                } catch (Json.BadAnswerException e) {
                    // Ignored: operations do not need the ring.
                }
            }
        }
    }
}
