package dev.quorate.node.coordinator;

import dev.quorate.storage.Entry;
import org.jspecify.annotations.Nullable;

/** What several replicas' answers to one read mean. Pure; the order of the answers is nothing. */
final class Resolver {

    private Resolver() {}

    /** The newer of two; {@code null} stands for a replica that knows nothing of the key. */
    static @Nullable Entry newer(@Nullable Entry a, @Nullable Entry b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return b.supersedes(a) ? b : a;
    }

    /** Whether a client sees it. */
    static boolean isLive(Entry entry, long wallMillis) {
        return !entry.isTombstone() && !entry.isExpired(wallMillis);
    }

    /**
     * What a client is told.
     *
     * @param newest the newest entry among the answers; null if no replica knows the key
     */
    static Outcome outcome(@Nullable Entry newest, long wallMillis) {
        if (newest == null) {
            return new Outcome.Missing(null);
        }
        return isLive(newest, wallMillis)
                ? new Outcome.Found(newest)
                : new Outcome.Missing(newest.timestamp());
    }
}
