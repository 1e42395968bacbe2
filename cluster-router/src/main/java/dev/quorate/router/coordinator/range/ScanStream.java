package dev.quorate.router.coordinator.range;

import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.storage.Entry;
import java.util.List;

/** A range read in progress: pulled batch by batch, so that it needs little memory. */
public interface ScanStream extends AutoCloseable {

    /**
     * Requests the next batch. The callback is called exactly once, on any thread; the next request
     * must wait for it.
     */
    void next(ScanCallback callback);

    /** Frees the scan's resources; a batch that is awaited may be delivered or not. */
    @Override
    void close();

    /** Receives one batch. */
    interface ScanCallback {

        /**
         * Whether the batch has room for one more entry. Called for each entry after the first,
         * until it returns false.
         */
        default boolean hasRoomFor(Entry entry) {
            return true;
        }

        /**
         * Whether to continue after keys without a live entry. If not, the batch is over, and the
         * next request continues after {@code key}.
         *
         * @param key the last key that was passed
         */
        default boolean continuesAfter(byte[] key) {
            return true;
        }

        /** Live entries in the order of the range, at least one. */
        void entries(List<Entry> entries);

        /** The range is complete. */
        void end();

        /** The range cannot be completed: too few replicas answer for a part of it. */
        void failed(Outcome.QuorumFailed outcome);
    }
}
