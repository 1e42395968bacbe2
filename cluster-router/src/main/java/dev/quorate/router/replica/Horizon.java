package dev.quorate.router.replica;

/** The moments before which nothing new arrives, as known of all members. */
public interface Horizon {

    /**
     * Every member has all its entries from before this moment, in milliseconds since 1970. A
     * tombstone from before it supersedes nothing any more, and is treated as absent.
     */
    long gcWatermarkMillis();

    /**
     * A client's write from before this moment is refused, in milliseconds since 1970: a tombstone
     * that supersedes it may have been dropped.
     *
     * @param nowMillis of this node's hybrid clock
     */
    long oldestWriteMillis(long nowMillis);
}
