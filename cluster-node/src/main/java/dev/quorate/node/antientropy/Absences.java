package dev.quorate.node.antientropy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides which peers to compare with: soon, peers that were down or unreachable and are back; a
 * little later, all peers after this node's own start, with which those that noticed its absence
 * compare soon. Either side may have missed writes meanwhile, and hints may be lost with the node
 * that stored them. Pure; not thread-safe.
 *
 * <p>A peer that flaps is compared with at most once in {@link #BETWEEN}. The delay is random, so
 * that not all members compare with a returning member at the same moment.
 */
final class Absences {

    /**
     * Maximum delay between a return and the comparison; the minimum is half of it. Hints arrive
     * first, and are cheap.
     */
    static final Duration SOON = Duration.ofSeconds(10);

    /**
     * The same for a peer that this node sees for the first time: a node that has just started
     * compiles its code, and would delay its first clients.
     */
    static final Duration FIRST = Duration.ofMinutes(1);

    /** Minimum time between two such comparisons with one peer. */
    static final Duration BETWEEN = Duration.ofMinutes(1);

    private static final class Peer {
        private boolean isUp;
        private boolean wasUp;
        private long life;

        /** Whether it has returned since the last comparison with it began. */
        private boolean isDue;

        private long dueNanos;
        private boolean wasCompared;
        private long comparedNanos;
    }

    private final Map<String, Peer> peers = new LinkedHashMap<>();

    /**
     * Observes a peer, about every second.
     *
     * @param isUp whether it answers
     * @param life the life of its process, as last announced; 0 if unknown
     * @param random from 0 to 1, drawn for each call
     */
    void observe(String name, boolean isUp, long life, long nowNanos, double random) {
        Peer peer = peers.computeIfAbsent(name, absent -> new Peer());
        boolean isBack = isUp && (!peer.isUp || (life != peer.life && peer.life != 0));
        peer.isUp = isUp;
        peer.life = life;
        if (isBack) {
            schedule(peer, peer.wasUp ? SOON : FIRST, nowNanos, random);
        }
        peer.wasUp |= isUp;
    }

    /** If a comparison is due already, the earlier time counts. */
    private static void schedule(Peer peer, Duration longest, long nowNanos, double random) {
        long delay = (long) (longest.toNanos() * (1 + random) / 2);
        if (peer.wasCompared) {
            delay = Math.max(delay, peer.comparedNanos + BETWEEN.toNanos() - nowNanos);
        }
        long dueNanos = nowNanos + delay;
        if (!peer.isDue || dueNanos - peer.dueNanos < 0) {
            peer.dueNanos = dueNanos;
        }
        peer.isDue = true;
    }

    /** A peer to compare with now; null if there is none. */
    @Nullable String due(long nowNanos) {
        for (Map.Entry<String, Peer> each : peers.entrySet()) {
            Peer peer = each.getValue();
            if (peer.isDue && peer.isUp && nowNanos - peer.dueNanos >= 0) {
                return each.getKey();
            }
        }
        return null;
    }

    void onCompareStarted(String name, long nowNanos) {
        Peer peer = peers.get(name);
        if (peer != null) {
            peer.isDue = false;
            peer.wasCompared = true;
            peer.comparedNanos = nowNanos;
        }
    }

    /** Notes that the comparison failed: the peer is due again. */
    void failed(String name, long nowNanos, double random) {
        Peer peer = peers.get(name);
        if (peer != null) {
            schedule(peer, SOON, nowNanos, random);
        }
    }
}
