package dev.quorate.client;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the node for an attempt: an owner of the key before others, and those that did not answer
 * lately last. Only the addresses that the user gave are ever used: those in the ring are the
 * nodes' own, which a client may not reach. Thread-safe.
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
     * The next node.
     *
     * @param key whose owners are preferred; null for none
     * @param from how many of them; 0 for the cluster's default
     * @param asked in this round, which are not asked again
     * @param random chooses among equals
     * @return null if all have been asked
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

    synchronized void note(Endpoint endpoint, Attempt attempt, long nowNanos) {
        endpoint.note(attempt, nowNanos);
    }

    /**
     * A node's answer to the question for the ring. While two answer differently there is none.
     *
     * @param member the name of the node
     */
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

    /** The address of a node, and what is known of it. Guarded by its {@link Endpoints}. */
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

        /** Whether others should be asked first. */
        boolean isAvoided(long nowNanos) {
            return isAvoided && nowNanos - avoidedUntilNanos < 0;
        }

        void note(Attempt attempt, long nowNanos) {
            if (attempt instanceof Attempt.Answered answered) {
                pauseNanos = 0;
                isAvoided = answered.isNothingAttempted();
                avoidedUntilNanos =
                        nowNanos + Math.max(1, answered.retryAfterSeconds()) * 1_000_000_000L;
            } else if (!(attempt instanceof Attempt.TooLarge)) {
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
}
