package dev.quorate.node.message;

import dev.quorate.storage.Entry;
import org.jspecify.annotations.Nullable;

/** What one replica can be asked. */
public sealed interface ReplicaRequest {

    /** The newest entry of a key. */
    record Read(byte[] key) implements ReplicaRequest {}

    /** Keep this entry, durably, unless a newer one is held. Idempotent. */
    record Write(Entry entry) implements ReplicaRequest {}

    /**
     * The next entries, tombstones included, from {@code start} (included) to {@code end} (not
     * included; null for no end), at most about {@code maxBytes} of keys and values, and at least
     * one entry if there is any.
     */
    record ScanPage(byte[] start, byte @Nullable [] end, int maxBytes) implements ReplicaRequest {}

    /**
     * Whether the entries of a range that this replica and another member both are to hold are the
     * same there. Changes nothing, and nothing is kept for the asker between two of these.
     *
     * @param member the other member's number
     * @param salt goes into the hash of each entry, so that no two repairs are wrong alike
     * @param sum of the hashes of the entries that the asker has in the range
     * @param start the first key of the range
     * @param end the first key behind it; null for no end
     * @param listUpTo up to so many entries, 1 to {@link ComparedRange#MAX_LISTED}, are listed
     *     rather than divided into parts
     */
    record Compare(
            int member, int salt, long sum, byte[] start, byte @Nullable [] end, int listUpTo)
            implements ReplicaRequest {
        public Compare {
            if (listUpTo < 1 || listUpTo > ComparedRange.MAX_LISTED) {
                throw new IllegalArgumentException("listUpTo is " + listUpTo);
            }
        }
    }

    /** All that is held of a key, wherever it lies, newest or not, but for the values. */
    record Inquire(byte[] key) implements ReplicaRequest {}
}
