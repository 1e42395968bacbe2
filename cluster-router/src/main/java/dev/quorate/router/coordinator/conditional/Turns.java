package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.coordinator.operation.OwnedKey;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which node may propose conditional writes of a key now, where several nodes do so at once. Each
 * ballot ends the other nodes' leads, so nodes that alternate with every write need more than twice
 * the messages. So nodes that have met take turns: the time of day is divided into turns, which go
 * to them in the order of their numbers. In its turn a node leads, and makes what it can.
 *
 * <p>Only a matter of speed: a node whose clock is wrong, or which knows of other nodes than the
 * others, proposes in another's turn, and is as correct as any.
 */
final class Turns {

    /** The most keys; the one whose nodes met first is dropped. */
    private static final int MAX_KEYS = 4_096;

    private static final long LONGEST_MILLIS = 64;

    /** All turns together, so that a node's comes long before its writes have no more time. */
    private static final long ALL_MILLIS = 256;

    /** How long two nodes that have met share a key. */
    static final Duration KEPT = Duration.ofSeconds(1);

    private final int self;

    /** Until when each other node counts, in {@code Ticker.nanos} time, by its number. */
    private final Map<OwnedKey, TreeMap<Integer, Long>> others = new BoundedMap<>(MAX_KEYS);

    /**
     * @param self this node's number
     */
    Turns(int self) {
        this.self = self;
    }

    boolean isOther(int node) {
        return node != self;
    }

    /** Notes that a node has proposed something for the key. */
    synchronized void met(OwnedKey key, int node, long nowNanos) {
        if (isOther(node)) {
            others.computeIfAbsent(key, any -> new TreeMap<>())
                    .put(node, nowNanos + KEPT.toNanos());
        }
    }

    /** How long it is until this node's turn, in milliseconds; 0 if it may propose now. */
    synchronized long millisUntilMine(OwnedKey key, long nowNanos, long wallMillis) {
        TreeMap<Integer, Long> met = others.get(key);
        if (met == null) {
            return 0;
        }
        met.values().removeIf(until -> nowNanos - until >= 0);
        if (met.isEmpty()) {
            others.remove(key);
            return 0;
        }
        int turns = met.size() + 1;
        long length = Math.max(1, Math.min(LONGEST_MILLIS, ALL_MILLIS / turns));
        long mine = met.headMap(self).size() * length;
        long past = Math.floorMod(wallMillis - mine, turns * length);
        return past < length ? 0 : turns * length - past;
    }
}
