package dev.quorate.client;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The options of a write. Immutable.
 *
 * <p>A write can safely be sent again only under its own version. The client chooses the version of
 * a conditional write without a time to live; other writes get one from a node that answers with
 * 504. If an attempt without a version has no answer, the operation ends with {@link
 * OutcomeUnknownException}; {@link #repeatable} avoids that.
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

    /** Default replicas and deadline, for a new write. */
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
        var asked = new ReadOptions.Replicas(ack, from);
        return new WriteOptions(
                asked, isLinearizable, deadline, timeToLive, version, isRepeatable, contentType);
    }

    public WriteOptions linearizable() {
        return new WriteOptions(
                replicas, true, deadline, timeToLive, version, isRepeatable, contentType);
    }

    public WriteOptions deadline(Duration time) {
        return new WriteOptions(
                replicas, isLinearizable, time, timeToLive, version, isRepeatable, contentType);
    }

    public WriteOptions timeToLive(Duration time) {
        return new WriteOptions(
                replicas, isLinearizable, deadline, time, version, isRepeatable, contentType);
    }

    /** The version of {@link OutcomeUnknownException}, to send the same write again. */
    public WriteOptions version(Version earlier) {
        return new WriteOptions(
                replicas, isLinearizable, deadline, timeToLive, earlier, isRepeatable, contentType);
    }

    /**
     * First reads the version of the key and chooses a larger version for the write, which is sent
     * until it is acknowledged. This takes one more request, and the outcome is known if any node
     * answers before the deadline. Has no effect on conditional writes. Batches refuse it.
     */
    public WriteOptions repeatable() {
        return new WriteOptions(
                replicas, isLinearizable, deadline, timeToLive, version, true, contentType);
    }

    /** The content type of the value, up to 255 characters. Has no effect on a deletion. */
    public WriteOptions contentType(String type) {
        return new WriteOptions(
                replicas, isLinearizable, deadline, timeToLive, version, isRepeatable, type);
    }
}
