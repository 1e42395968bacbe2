package dev.quorate.router.replica;

import dev.quorate.router.token.Token;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * Counts the changes of keys below prefixes that waits have asked for (decision 0054). A position
 * begins at a random number: one from before a restart, or from before the prefix was forgotten, is
 * not reached again. Bounded. Thread-safe.
 */
final class PrefixCounts {

    static final int MAX = 1_024;

    /** A prefix that was not asked for during this time is forgotten. Waits are shorter. */
    static final long KEPT_NANOS = 600_000_000_000L;

    private record Count(long position, long askedNanos) {}

    private final RandomGenerator random;
    private final LongConsumer listener;
    private final TreeMap<byte[], Count> counts = new TreeMap<>(Arrays::compareUnsigned);

    /**
     * @param listener is given the token of a prefix that has changed or is forgotten, with the
     *     lock held
     */
    PrefixCounts(RandomGenerator random, LongConsumer listener) {
        this.random = random;
        this.listener = listener;
    }

    /** The position of a prefix. The first call begins to count; the one asked least leaves. */
    synchronized long position(byte[] prefix, long nowNanos) {
        Count count = counts.get(prefix);
        if (count == null && counts.size() == MAX) {
            forget(
                    Collections.min(
                                    counts.entrySet(),
                                    Comparator.comparingLong(
                                            each -> each.getValue().askedNanos() - nowNanos))
                            .getKey());
        }
        long position = count == null ? random.nextLong() : count.position();
        counts.put(prefix, new Count(position, nowNanos));
        return position;
    }

    /** A key has changed. */
    synchronized void stored(byte[] key) {
        byte[] limit = key;
        for (var at = counts.floorEntry(limit); at != null; at = counts.floorEntry(limit)) {
            byte[] found = at.getKey();
            Count count = at.getValue();
            int shared = Arrays.mismatch(found, key);
            if (shared < 0 || shared == found.length) {
                counts.put(found, new Count(count.position() + 1, count.askedNanos()));
                listener.accept(token(found));
                shared = found.length - 1;
                if (shared < 0) {
                    return;
                }
            }
            // A longer prefix of the key would lie between the one that was found and the limit.
            limit = Arrays.copyOf(key, shared);
        }
    }

    /** Forgets prefixes that were not asked for; returns the number of others. */
    synchronized int expire(long nowNanos) {
        for (var each : List.copyOf(counts.entrySet())) {
            if (nowNanos - each.getValue().askedNanos() >= KEPT_NANOS) {
                forget(each.getKey());
            }
        }
        return counts.size();
    }

    private void forget(byte[] prefix) {
        counts.remove(prefix);
        listener.accept(token(prefix));
    }

    synchronized int size() {
        return counts.size();
    }

    /** A token for registrations. A wait for a key with the bytes of the prefix has another. */
    static long token(byte[] prefix) {
        return ~Token.hash(prefix);
    }
}
