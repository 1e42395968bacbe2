package dev.quorate.node.coordinator;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What clients can do with the cluster through one node. Nothing here waits. */
public interface Operations {

    void read(byte[] key, QuorumSpec spec, OutcomeCallback callback);

    /** Stores a value that never expires. */
    default void put(
            byte[] key,
            byte[] value,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback) {
        put(key, value, null, version, spec, callback);
    }

    /**
     * Stores a value.
     *
     * @param timeToLive how long it lives, counted from its version, so that an attempt sent again
     *     expires at the same moment; null: for ever
     * @param version null for a new write; or the version of an earlier attempt, to send that
     *     again: idempotent, and never hides anything newer
     */
    void put(
            byte[] key,
            byte[] value,
            @Nullable Duration timeToLive,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback);

    /** Deletes a key, known or not; {@code version} as in {@link #put}. */
    void delete(byte[] key, @Nullable Timestamp version, QuorumSpec spec, OutcomeCallback callback);

    /**
     * The live entries from {@code start} (included) to {@code end} (not included; null for no
     * end).
     */
    ScanStream scan(byte[] start, byte @Nullable [] end, QuorumSpec spec, ScanScope scope);

    /**
     * The same, with each key an atomic register: all operations of a key that are made this way,
     * with the same {@code from}, take effect at one instant each. They need a majority; ranges
     * have no such form.
     */
    Operations linearizable();

    /**
     * Whether a read, or a write, that came now would be refused for want of time, and then counts
     * as refused: asked beforehand, so that what has no chance costs next to nothing.
     */
    default boolean refusesNow(boolean isWrite) {
        return false;
    }
}
