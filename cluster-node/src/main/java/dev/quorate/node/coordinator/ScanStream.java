package dev.quorate.node.coordinator;

import dev.quorate.storage.Entry;
import java.util.List;

/** A range read in progress: pulled batch by batch, so that nothing gathers in memory. */
public interface ScanStream extends AutoCloseable {

    /**
     * Asks for the next batch. The callback is called exactly once, on any thread. Not to be called
     * again before that.
     */
    void next(ScanCallback callback);

    /** Releases what the scan holds; a batch still awaited may be delivered or not. */
    @Override
    void close();

    /** Takes one batch. */
    interface ScanCallback {

        /**
         * Whether the batch may get longer by this entry. Asked of one entry after the other, as
         * long as the answer is yes; one is in a batch in any case.
         */
        default boolean hasRoomFor(Entry entry) {
            return true;
        }

        /** Live entries in ascending key order, at least one. */
        void entries(List<Entry> entries);

        /** The range is complete. */
        void end();

        /** The range cannot be completed: too few replicas answer for some part of it. */
        void failed(Outcome.QuorumFailed outcome);
    }
}
