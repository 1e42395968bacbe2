package dev.quorate.router.replica;

/** The times before which no new entry arrives, as known from all members. */
public interface Horizon {

    /**
     * Every member has all its entries from before this time, in milliseconds since 1970. An older
     * tombstone no longer supersedes any entry, and is treated as absent.
     */
    long gcWatermarkMillis();

    /**
     * A client's write from before this time is refused, in milliseconds since 1970: a tombstone
     * that supersedes it may have been dropped.
     *
     * @param nowMillis the reading of this node's hybrid clock
     */
    long oldestWriteMillis(long nowMillis);
}
