package dev.quorate.router.transport;

import dev.quorate.router.health.Breaker;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.runtime.Requirements;
import java.time.Duration;

/**
 * The options of the transport.
 *
 * @param maxBatchOperations maximum operations of one exchange. With more, a slow operation delays
 *     more other answers. The default is 512.
 * @param maxBatchBytes maximum bytes of requests in one exchange; a larger request is sent alone.
 *     The default is 256 KiB.
 * @param maxLaneOperations maximum operations queued or in flight in one lane to one peer; further
 *     ones fail at once. The default is 4,096.
 * @param maxLaneBytes maximum bytes of these operations, except for a single larger one. The
 *     default is 4 MiB.
 * @param maxBulkBytes the same in the bulk and repair lanes. The default is 32 MiB.
 * @param maxReplyBytes maximum bytes of a reply in these lanes: the largest value and {@link
 *     #REPLY_SLACK_BYTES}.
 * @param quiet how long a peer may be silent before it is probed, among three members. The default
 *     is 1 s.
 * @param failuresToOpen see {@link Breaker}. The default is 3.
 */
public record TransportOptions(
        int maxBatchOperations,
        int maxBatchBytes,
        int maxLaneOperations,
        long maxLaneBytes,
        long maxBulkBytes,
        int maxReplyBytes,
        Duration quiet,
        int failuresToOpen) {

    /** Maximum bytes of a reply beyond the largest value. */
    public static final int REPLY_SLACK_BYTES = 4 << 20;

    /** Requests longer than this use the bulk lane. */
    static final int LARGE_BYTES = 64 << 10;

    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    public TransportOptions {
        new Requirements()
                .require(
                        maxBatchOperations >= 1 && maxBatchOperations <= PeerCodec.MAX_ITEMS,
                        "maxBatchOperations must be 1 to " + PeerCodec.MAX_ITEMS)
                .require(maxBatchBytes >= KIB, "maxBatchBytes must be at least 1024")
                .require(maxLaneOperations >= 1, "maxLaneOperations must be at least 1")
                .require(maxLaneBytes >= 1, "maxLaneBytes must be at least 1")
                .require(maxBulkBytes >= 1, "maxBulkBytes must be at least 1")
                .require(
                        maxReplyBytes >= REPLY_SLACK_BYTES,
                        "maxReplyBytes must be at least " + REPLY_SLACK_BYTES)
                .require(quiet.isPositive(), "quiet must be positive")
                .require(failuresToOpen >= 1, "failuresToOpen must be at least 1")
                .check();
    }

    /** The defaults, for values of at most {@code maxValueBytes}. */
    public static TransportOptions forValuesOf(int maxValueBytes) {
        return new TransportOptions(
                512,
                256 * KIB,
                4096,
                4 * MIB,
                32 * MIB,
                maxValueBytes + REPLY_SLACK_BYTES,
                Duration.ofSeconds(1),
                Breaker.USUAL_FAILURES);
    }

    /**
     * Maximum length of a request body at the peer endpoint: a batch, or a single value.
     *
     * @param maxKeyBytes the longest key that clients may use
     */
    public static int maxRequestBytes(int maxValueBytes, int maxKeyBytes) {
        return Math.max(256 * KIB, maxValueBytes + maxKeyBytes) + 64 * KIB;
    }
}
