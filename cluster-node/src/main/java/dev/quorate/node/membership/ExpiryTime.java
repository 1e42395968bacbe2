package dev.quorate.node.membership;

import dev.quorate.router.runtime.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * The moment up to which values have certainly expired, so that compaction may drop them. A read
 * uses the wall clock, and a clock that is wrong for a second gives wrong answers for a second; but
 * dropping is final, so more than one clock must agree:
 *
 * <ul>
 *   <li>This member's clock, at its lowest offset from monotonic time in the last {@link #WINDOW}:
 *       a clock that is ahead for less than that has no effect. Nothing is certain before the
 *       process has run for that window without a pause.
 *   <li>The clocks of a majority of all members, including this one, as last announced: a clock
 *       that is ahead for longer has no effect either, unless another is too.
 * </ul>
 *
 * <p>Members announce their clocks every few seconds while they vote. Without a majority the moment
 * does not advance, which only delays the drop.
 *
 * <p>Its lock guards every field that changes; only clocks are called with it held.
 */
public final class ExpiryTime {

    /** How long a clock must be ahead to have an effect. */
    public static final Duration WINDOW = Duration.ofMinutes(10);

    /** How often {@link #sample} must be called: a clock that was right for less may be missed. */
    public static final Duration SAMPLE_EVERY = Duration.ofSeconds(30);

    /** After a longer time without a sample the window restarts. */
    private static final Duration MAX_GAP = SAMPLE_EVERY.multipliedBy(4);

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** The wall clock's offset from monotonic time, at a moment. */
    private record Sample(long nanos, long offsetMillis) {}

    private final Ticker ticker;
    private final IntSupplier members;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();
    private Supplier<List<Long>> othersMillis = List::of;

    /** The start of the current samples without a gap above {@link #MAX_GAP}. */
    private long watchedSinceNanos;

    private long sampledNanos;

    /**
     * @param members returns the number of members of the topology, including this one
     */
    public ExpiryTime(Ticker ticker, IntSupplier members) {
        this.ticker = ticker;
        this.members = members;
        this.watchedSinceNanos = ticker.nanos();
        this.sampledNanos = watchedSinceNanos;
        sample();
    }

    /** Sets the source of the other members' clocks, as last announced. */
    public synchronized void listenTo(Supplier<List<Long>> clocks) {
        othersMillis = clocks;
    }

    /** To be called every {@link #SAMPLE_EVERY}. */
    public synchronized void sample() {
        long nanos = ticker.nanos();
        if (nanos - sampledNanos > MAX_GAP.toNanos()) {
            // The process was paused, and the clock may be wrong afterwards.
            watchedSinceNanos = nanos;
        }
        sampledNanos = nanos;
        long offset = ticker.wallMillis() - nanos / NANOS_PER_MILLI;
        while (!samples.isEmpty() && samples.getLast().offsetMillis() >= offset) {
            samples.removeLast(); // it can no longer be the minimum
        }
        samples.addLast(new Sample(nanos, offset));
        while (nanos - samples.getFirst().nanos() > WINDOW.toNanos()) {
            samples.removeFirst();
        }
    }

    /** Values that expire at or before this have expired; milliseconds since 1970, 0 if unknown. */
    public synchronized long millis() {
        sample();
        long nanos = ticker.nanos();
        if (nanos - watchedSinceNanos < WINDOW.toNanos()) {
            return 0;
        }
        long own = nanos / NANOS_PER_MILLI + samples.getFirst().offsetMillis();
        return Math.max(
                Math.min(own, majorityMillis(own, othersMillis.get(), members.getAsInt())), 0);
    }

    /** The latest moment that the clocks of a majority have reached; 0 if too few are known. */
    static long majorityMillis(long own, List<Long> others, int members) {
        // A member that has just left the topology may have announced its clock.
        long[] clocks = new long[Math.max(members, others.size() + 1)];
        clocks[0] = own;
        for (int i = 0; i < others.size(); i++) {
            clocks[i + 1] = others.get(i);
        }
        Arrays.sort(clocks);
        return clocks[clocks.length - (clocks.length / 2 + 1)];
    }
}
