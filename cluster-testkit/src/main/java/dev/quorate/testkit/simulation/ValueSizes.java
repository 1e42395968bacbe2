package dev.quorate.testkit.simulation;

import dev.quorate.router.message.Digest;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The lengths of the values of one simulation. Values longer than {@link Digest#SHORT_VALUE_BYTES}
 * are read by digests, and the longest use the bulk lane.
 *
 * @param seed of the lengths, so that a name has other lengths in other simulations
 * @param largePercent the percentage of values of about that length or longer
 * @param mostBytes the exclusive limit of a length
 */
record ValueSizes(long seed, int largePercent, int mostBytes) {

    private static final int MAX_SMALL_BYTES = 200;
    private static final int MAX_USUAL_BYTES = 2_500;

    /** From none to nearly all: in between, long values take the place of short ones. */
    private static final List<Integer> LARGE_PERCENTS = List.of(0, 5, 25, 60, 95);

    /** Requests of more than 64 KiB, and answers of more than 96, take the bulk lane. */
    private static final List<Integer> MAX_BYTES =
            List.of(MAX_USUAL_BYTES, MAX_USUAL_BYTES, 12_000, 150_000);

    /** Sizes drawn from the seed. */
    static ValueSizes random(SplittableRandom random) {
        return new ValueSizes(
                random.nextLong(),
                LARGE_PERCENTS.get(random.nextInt(LARGE_PERCENTS.size())),
                MAX_BYTES.get(random.nextInt(MAX_BYTES.size())));
    }

    /** The length of a value in bytes, a function of its name. */
    int of(String name) {
        SplittableRandom own = new SplittableRandom(seed ^ name.hashCode());
        if (own.nextInt(100) >= largePercent) {
            return own.nextInt(MAX_SMALL_BYTES);
        }
        return switch (own.nextInt(10)) {
            case 0, 1, 2 -> Digest.SHORT_VALUE_BYTES - 1 + own.nextInt(3);
            case 3 -> own.nextInt(Digest.SHORT_VALUE_BYTES, mostBytes);
            default -> own.nextInt(Digest.SHORT_VALUE_BYTES, MAX_USUAL_BYTES);
        };
    }
}
