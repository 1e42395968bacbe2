package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.coordinator.operation.OwnedKey;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Decides which node may propose conditional writes of a key now, if several nodes write it at
 * once. Each ballot ends the other nodes' leads, so nodes that alternate with every write need more
 * than twice the messages. So such nodes take turns: the time of day is divided into turns, in the
 * order of the nodes' numbers. In its turn a node leads, and makes as many writes as it can.
 *
 * <p>Turns affect only speed: a node whose clock is wrong, or that knows of different nodes than
 * the others, proposes in another node's turn, and its writes are still correct.
 */
final class Turns {

    private static final long LONGEST_MILLIS = 64;

    /** Length of the first pause of a refused write; each further one is twice as long. */
    private static final long FIRST_PAUSE_MILLIS = 4;

    private static final int MAX_DOUBLINGS = 4;

    /** Maximum length of all turns together: each comes long before its node's writes time out. */
    private static final long ALL_MILLIS = 256;

    /** How long two nodes take turns for a key after they have met. */
    static final Duration KEPT = Duration.ofSeconds(1);

    private final int self;

    /** By the number of each other node: until when it counts, in {@code Ticker.nanos} time. */
    private final Map<OwnedKey, TreeMap<Integer, Long>> others = new BoundedMap<>();

    /**
     * @param self this node's number
     */
    Turns(int self) {
        this.self = self;
    }

    boolean isOther(int node) {
        return node != self;
    }

    synchronized void recordProposer(OwnedKey key, int node, long nowNanos) {
        if (isOther(node)) {
            others.computeIfAbsent(key, any -> new TreeMap<>())
                    .put(node, nowNanos + KEPT.toNanos());
        }
    }

    /** How long it is until this node's turn, in milliseconds; 0 if it may propose now. */
    synchronized long millisUntilTurn(OwnedKey key, long nowNanos, long wallMillis) {
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

    /**
     * How long a refused write waits before it begins again: a random part of a pause that doubles.
     * The first owner waits the least: of several coordinators it needs the fewest messages.
     *
     * @param times how often it has begun again
     * @param rank the node's place among the owners of the key
     */
    static Duration pause(int times, int rank, RandomGenerator random) {
        long millis = FIRST_PAUSE_MILLIS << Math.min(times, MAX_DOUBLINGS);
        return Duration.ofNanos(random.nextLong(millis * (1 + rank) * 1_000_000) + 1);
    }
}
