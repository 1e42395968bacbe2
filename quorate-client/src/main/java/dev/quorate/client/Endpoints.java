package dev.quorate.client;

import dev.quorate.client.Endpoints.Endpoint;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the node for an attempt: owners of the key before others, and nodes that did not answer
 * recently last. Uses the addresses that the user gave, because a client may not reach those in the
 * ring, and also those to which members have moved, once a member has answered there. Thread-safe.
 */
final class Endpoints {

    private final List<Endpoint> given;

    // Guarded by this.
    private List<Endpoint> all;
    private final Map<String, Endpoint> moved = new HashMap<>();
    private final Map<String, Endpoint> byMember = new HashMap<>();
    private final Map<Endpoint, RingPage> pages = new HashMap<>();
    private @Nullable Ring ring;
    private boolean hasFailed;

    Endpoints(List<URI> uris) {
        this.given = uris.stream().distinct().map(Endpoint::new).toList();
        this.all = given;
    }

    synchronized List<Endpoint> all() {
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
        hasFailed |= endpoint.isFailing();
    }

    /**
     * Stores the ring of a node, unless it told a later epoch of its cluster before. The latest
     * epoch is used; none while nodes have different rings of that epoch, or other clusters.
     */
    synchronized void learn(Endpoint endpoint, RingPage page) {
        byMember.values().remove(endpoint);
        byMember.put(page.self(), endpoint);
        pages.merge(endpoint, page, (old, now) -> now.isOlderThan(old) ? old : now);
        RingPage latest = latest(page);
        boolean differs =
                pages.values().stream()
                        .anyMatch(
                                each ->
                                        !each.isOlderThan(latest)
                                                && !each.shape().equals(latest.shape()));
        if (differs || pages.values().stream().anyMatch(each -> each.isOfOther(latest))) {
            ring = null;
            return;
        }
        if (ring == null || !ring.shape().equals(latest.shape())) {
            ring = new Ring(latest.shape());
        }
        moved.entrySet().removeIf(each -> !each.getValue().uri().equals(address(latest, each)));
        all = Stream.concat(given.stream(), moved.values().stream()).toList();
        pages.keySet().retainAll(all);
        byMember.values().retainAll(all);
    }

    /** The address of a member in a ring, with the scheme of clients; null if it has none. */
    private @Nullable URI address(RingPage page, Map.Entry<String, ?> member) {
        URI uri = page.urls().get(member.getKey());
        return uri == null
                ? null
                : URI.create(given.get(0).uri().getScheme() + "://" + uri.getRawAuthority());
    }

    private RingPage latest(RingPage any) {
        return pages.values().stream()
                .reduce(any, (one, other) -> one.isOlderThan(other) ? other : one);
    }

    synchronized boolean knowsRing() {
        return ring != null;
    }

    /** Whether a node did not answer since the last call of {@link #beginLearning}. */
    synchronized boolean hasFailed() {
        return hasFailed;
    }

    /** The nodes to ask for the ring. */
    synchronized List<Endpoint> beginLearning() {
        hasFailed = false;
        return all;
    }

    /**
     * The addresses in the latest ring, by name, of members that may have moved there: while an
     * address of the user fails, those that are reached nowhere else.
     */
    synchronized Map<String, Endpoint> candidates() {
        Map<String, Endpoint> found = new HashMap<>();
        if (ring == null || given.stream().noneMatch(Endpoint::isFailing)) {
            return found;
        }
        RingPage latest = latest(pages.values().iterator().next());
        for (Map.Entry<String, URI> member : latest.urls().entrySet()) {
            URI uri = address(latest, member);
            Endpoint known = byMember.get(member.getKey());
            boolean isMissing = known == null || (known.isFailing() && !known.uri().equals(uri));
            if (uri != null && isMissing && latest.epoch() > 1) {
                found.put(member.getKey(), new Endpoint(uri));
            }
        }
        return found;
    }

    /** Uses the address of a member that has answered there, while the latest ring has it. */
    synchronized void adopt(Endpoint endpoint, RingPage page) {
        moved.put(page.self(), endpoint);
        learn(endpoint, page);
    }

    /**
     * The answer of a node to {@code GET /v0/ring}.
     *
     * @param self the name of the member that answers
     * @param cluster the id of the cluster; empty if the member does not know it yet
     * @param epoch the number of the topology; 0 if the node tells none
     * @param urls the addresses of members, by name
     */
    record RingPage(
            String self, String cluster, long epoch, Ring.Shape shape, Map<String, URI> urls) {

        /** Throws also {@link IllegalArgumentException}, if an address is none. */
        static RingPage parse(String text) throws Json.BadAnswerException {
            Json.Members page = Json.object(text);
            Map<String, URI> urls = new HashMap<>();
            List<String> names = new ArrayList<>();
            for (Object each : page.list("members")) {
                Json.Members member = Json.members(each);
                names.add(member.text("name"));
                if (member.has("url")) {
                    urls.put(member.text("name"), URI.create(member.text("url")));
                }
            }
            return new RingPage(
                    page.text("self"),
                    page.has("cluster") ? page.text("cluster") : "",
                    page.has("epoch") ? page.number("epoch") : 0,
                    Ring.Shape.checked(
                            page.number("replication"), page.number("virtualNodes"), names),
                    urls);
        }

        boolean isOlderThan(RingPage other) {
            return cluster.equals(other.cluster) && epoch < other.epoch;
        }

        boolean isOfOther(RingPage other) {
            return !cluster.isEmpty() && !other.cluster.isEmpty() && !cluster.equals(other.cluster);
        }
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

        /** Whether the last request was not answered. */
        boolean isFailing() {
            return pauseNanos > 0;
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
     * not benefit, and during later operations once a minute, every few seconds while it is
     * unknown, or a second later if a node did not answer, which may have moved.
     */
    static final class RingLearner {

        private static final long INTERVAL_NANOS = 60_000_000_000L;
        private static final long FIRST_INTERVAL_NANOS = 3_000_000_000L;
        private static final long FAILED_INTERVAL_NANOS = 1_000_000_000L;
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
            if (endpoints.given.size() == 1) {
                return; // there is only one node to ask
            }
            long now = effects.nanos();
            synchronized (this) {
                operations = Math.min(operations + 1, FIRST_OPERATION);
                if (operations < FIRST_OPERATION) {
                    return;
                }
                long interval =
                        endpoints.hasFailed()
                                ? FAILED_INTERVAL_NANOS
                                : endpoints.knowsRing() ? INTERVAL_NANOS : FIRST_INTERVAL_NANOS;
                if (isBegun && now - lastNanos < interval) {
                    return;
                }
                isBegun = true;
                lastNanos = now;
            }
            var unused = learn();
        }

        /**
         * Completes when each node has answered or failed, and each to which one may have moved.
         */
        CompletableFuture<Void> learn() {
            return ask(endpoints.beginLearning(), endpoints::learn)
                    .thenCompose(
                            unused -> {
                                Map<String, Endpoint> moved = endpoints.candidates();
                                return ask(
                                        moved.values(),
                                        (endpoint, page) -> {
                                            if (moved.get(page.self()) == endpoint) {
                                                endpoints.adopt(endpoint, page);
                                            }
                                        });
                            });
        }

        private CompletableFuture<Void> ask(
                Collection<Endpoint> nodes, BiConsumer<Endpoint, RingPage> learned) {
            List<CompletableFuture<?>> answers = new ArrayList<>();
            for (Endpoint endpoint : nodes) {
                try {
                    answers.add(
                            http.send(endpoint.uri(), Request.get("/v0/ring"), TIMEOUT_NANOS)
                                    .attempt()
                                    .thenAccept(attempt -> learned(endpoint, attempt, learned)));
                } catch (RejectedExecutionException e) {
                    break; // the client is closed
                }
            }
            return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]));
        }

        private static void learned(
                Endpoint endpoint,
                Request.Attempt attempt,
                BiConsumer<Endpoint, RingPage> learned) {
            if (attempt instanceof Request.Attempt.Answered answered && answered.status() == 200) {
                try {
                    learned.accept(
                            endpoint,
                            RingPage.parse(new String(answered.body(), StandardCharsets.UTF_8)));
                } catch (Json.BadAnswerException | IllegalArgumentException e) {
                    // Ignored: operations do not need the ring.
                }
            }
        }
    }
}
