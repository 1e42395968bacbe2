package dev.quorate.node.replica;

/** How far back the past is closed: what is known of all members. */
public interface Horizon {

    /** Nothing is known, and everything may still come. */
    Horizon NONE =
            new Horizon() {
                @Override
                public long gcWatermarkMillis() {
                    return 0;
                }

                @Override
                public long oldestWriteMillis(long nowMillis) {
                    return 0;
                }
            };

    /**
     * Every member has every entry that it is to have and that was written before this moment, in
     * milliseconds since 1970. A tombstone from before it hides nothing any more, and is as good as
     * nothing.
     */
    long gcWatermarkMillis();

    /**
     * A client's write from before this moment is not taken any more, in milliseconds since 1970:
     * the tombstone that it should meet may be gone.
     *
     * @param nowMillis of this node's hybrid clock
     */
    long oldestWriteMillis(long nowMillis);
}
