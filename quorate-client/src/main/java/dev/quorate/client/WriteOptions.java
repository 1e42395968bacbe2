package dev.quorate.client;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a write is made. Immutable.
 *
 * <p>A write can be sent again without harm only under its own version. A conditional write without
 * a time to live gets one from the client, any other from the node that answers with 504. Where an
 * attempt without a version has no answer, the operation ends with {@link OutcomeUnknownException};
 * {@link #repeatable} avoids that.
 *
 * @param replicas null for the cluster's default, a majority of three
 * @param isLinearizable whether the key is an atomic register; needs a majority
 * @param deadline of the whole operation; null for the client's default
 * @param timeToLive of the value, in whole seconds, 1 s to ten years; null for none
 * @param version of an earlier attempt of the same write; null for a new write
 * @param isRepeatable see {@link #repeatable}
 * @param contentType of the value; null for none
 */
public record WriteOptions(
        ReadOptions.@Nullable Replicas replicas,
        boolean isLinearizable,
        @Nullable Duration deadline,
        @Nullable Duration timeToLive,
        @Nullable Version version,
        boolean isRepeatable,
        @Nullable String contentType) {

    /** The cluster's default replicas, the client's default deadline, a new write. */
    public static final WriteOptions DEFAULT =
            new WriteOptions(null, false, null, null, null, false, null);

    private static final Duration MAX_TIME_TO_LIVE = Duration.ofDays(3_650);

    /**
     * @throws IllegalArgumentException if a time is out of its range, or {@code isRepeatable} is
     *     combined with a time to live
     */
    public WriteOptions {
        ReadOptions.requirePositive("deadline", deadline);
        if (timeToLive != null) {
            requireTimeToLive(timeToLive);
        }
        if (timeToLive != null && isRepeatable) {
            throw new IllegalArgumentException(
                    "A time to live counts from the version, and the client's clock is not the"
                            + " cluster's: such a write cannot be repeatable.");
        }
    }

    private static void requireTimeToLive(Duration time) {
        boolean isWhole = time.equals(time.truncatedTo(ChronoUnit.SECONDS));
        if (!isWhole || time.toSeconds() < 1 || time.compareTo(MAX_TIME_TO_LIVE) > 0) {
            throw new IllegalArgumentException(
                    "A time to live is 1 to 315,360,000 whole seconds, not " + time + ".");
        }
    }

    public WriteOptions replicas(int ack, int from) {
        return new WriteOptions(
                new ReadOptions.Replicas(ack, from),
                isLinearizable,
                deadline,
                timeToLive,
                version,
                isRepeatable,
                contentType);
    }

    public WriteOptions linearizable() {
        return new WriteOptions(
                replicas, true, deadline, timeToLive, version, isRepeatable, contentType);
    }

    public WriteOptions deadline(Duration newDeadline) {
        return new WriteOptions(
                replicas,
                isLinearizable,
                newDeadline,
                timeToLive,
                version,
                isRepeatable,
                contentType);
    }

    public WriteOptions timeToLive(Duration newTimeToLive) {
        return new WriteOptions(
                replicas,
                isLinearizable,
                deadline,
                newTimeToLive,
                version,
                isRepeatable,
                contentType);
    }

    /** The version of {@link OutcomeUnknownException}, to send the same write again. */
    public WriteOptions version(Version earlier) {
        return new WriteOptions(
                replicas, isLinearizable, deadline, timeToLive, earlier, isRepeatable, contentType);
    }

    /**
     * Reads the key's version first and gives the write a version above it, under which it is sent
     * until it is acknowledged: a request more, and no unknown outcome as long as any node answers
     * before the deadline. Without effect on conditional writes, which have that anyway, and in
     * batches.
     */
    public WriteOptions repeatable() {
        return new WriteOptions(
                replicas, isLinearizable, deadline, timeToLive, version, true, contentType);
    }

    /**
     * The content type that reads of the value have, up to 255 characters. Without effect on a
     * deletion.
     */
    public WriteOptions contentType(String type) {
        return new WriteOptions(
                replicas, isLinearizable, deadline, timeToLive, version, isRepeatable, type);
    }
}
