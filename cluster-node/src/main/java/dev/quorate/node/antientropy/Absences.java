package dev.quorate.node.antientropy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which peers are to be compared with soon: those that have come back, or the way to which has, and
 * all of them after this node's own start. Either side may have missed writes meanwhile, and hints
 * may be lost with whoever kept them. Decides only, and is not safe for use by several threads.
 *
 * <p>A peer that comes and goes is compared with once in {@link #BETWEEN} at most, and the delay is
 * drawn at random, so that not all compare with one that comes back at the same moment.
 */
final class Absences {

    /**
     * From a return to the comparison, half of it or all of it. Hints come first, and are cheap.
     */
    static final Duration SOON = Duration.ofSeconds(10);

    /** Between two comparisons with one peer that are begun for this reason. */
    static final Duration BETWEEN = Duration.ofMinutes(1);

    private static final class Peer {
        private boolean isUp;
        private long life;

        /** Whether it has come back since the last comparison with it was begun. */
        private boolean isDue;

        private long dueNanos;
        private boolean wasCompared;
        private long comparedNanos;
    }

    private final Map<String, Peer> peers = new LinkedHashMap<>();

    /**
     * Looks at a peer, every second or so.
     *
     * @param isUp whether it answers
     * @param life of its process, as it has told; 0 if it has not
     * @param random from 0 to 1, anew each time
     */
    void observe(String name, boolean isUp, long life, long nowNanos, double random) {
        Peer peer = peers.computeIfAbsent(name, absent -> new Peer());
        boolean isBack = isUp && (!peer.isUp || (life != peer.life && peer.life != 0));
        peer.isUp = isUp;
        peer.life = life;
        if (isBack && !peer.isDue) {
            schedule(peer, nowNanos, random);
        }
    }

    private static void schedule(Peer peer, long nowNanos, double random) {
        long delay = (long) (SOON.toNanos() * (1 + random) / 2);
        if (peer.wasCompared) {
            delay = Math.max(delay, peer.comparedNanos + BETWEEN.toNanos() - nowNanos);
        }
        peer.isDue = true;
        peer.dueNanos = nowNanos + delay;
    }

    /** A peer that is to be compared with now; null if there is none. */
    @Nullable String due(long nowNanos) {
        for (Map.Entry<String, Peer> each : peers.entrySet()) {
            Peer peer = each.getValue();
            if (peer.isDue && peer.isUp && nowNanos - peer.dueNanos >= 0) {
                return each.getKey();
            }
        }
        return null;
    }

    /** A comparison with the peer begins. */
    void begun(String name, long nowNanos) {
        Peer peer = peers.get(name);
        if (peer != null) {
            peer.isDue = false;
            peer.wasCompared = true;
            peer.comparedNanos = nowNanos;
        }
    }

    /** It has ended before both had the same: it is due once more. */
    void failed(String name, long nowNanos, double random) {
        Peer peer = peers.get(name);
        if (peer != null && !peer.isDue) {
            schedule(peer, nowNanos, random);
        }
    }
}
