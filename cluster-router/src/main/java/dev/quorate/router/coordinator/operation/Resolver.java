package dev.quorate.router.coordinator.operation;

import dev.quorate.storage.Entry;
import org.jspecify.annotations.Nullable;

/**
 * Resolves several replicas' answers to one read. Pure; the order of the answers does not matter.
 */
public final class Resolver {

    private Resolver() {}

    /** The newer of two entries; {@code null} stands for a replica without the key. */
    public static @Nullable Entry newer(@Nullable Entry a, @Nullable Entry b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return b.supersedes(a) ? b : a;
    }

    /** Whether clients see the entry. */
    public static boolean isLive(Entry entry, long wallMillis) {
        return !entry.isTombstone() && !entry.isExpired(wallMillis);
    }

    /**
     * The outcome of a read.
     *
     * @param newest the newest entry among the answers; null if no replica has the key
     */
    public static Outcome outcome(@Nullable Entry newest, long wallMillis) {
        if (newest == null) {
            return new Outcome.Missing(null);
        }
        return isLive(newest, wallMillis)
                ? new Outcome.Found(newest)
                : new Outcome.Missing(newest.timestamp());
    }
}
