package dev.quorate.node.membership;

import dev.quorate.node.runtime.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Up to when values have expired for certain, so that their bytes may be dropped. A read asks the
 * wall clock, and a clock that is wrong for a second gives wrong answers for a second; what is
 * dropped is gone for good, so this takes more than one clock's word for it:
 *
 * <ul>
 *   <li>This member's clock, as it was at its earliest in the last {@link #WINDOW}, compared with
 *       time that has passed: a clock that runs ahead for less than that has no effect. Nothing is
 *       certain before the process has run for as long as the window without standing still.
 *   <li>The clocks of a majority of all members, this one among them, as they last said: a clock
 *       that is ahead for longer has none either, unless another is too.
 * </ul>
 *
 * <p>Members announce their clocks every few seconds while they vote. This stands still while no
 * majority is there, which keeps bytes on disk, and nothing else.
 *
 * <p>Its lock guards every field that changes; nothing but the clocks is called under it.
 */
public final class ExpiryTime {

    /** For so long a clock has to show the same time before it is believed. */
    public static final Duration WINDOW = Duration.ofMinutes(10);

    /** How often {@link #sample} is to be called: a clock that was right for less is not seen. */
    public static final Duration SAMPLE_EVERY = Duration.ofSeconds(30);

    /** After a longer time without a sample the window begins anew. */
    private static final Duration MAX_GAP = SAMPLE_EVERY.multipliedBy(4);

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** What the wall clock was ahead of the time that has passed, at a moment. */
    private record Sample(long nanos, long offsetMillis) {}

    private final Ticker ticker;
    private final int members;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();
    private Supplier<List<Long>> othersMillis = List::of;

    /** Since when there has been a sample often enough. */
    private long watchedSinceNanos;

    private long sampledNanos;

    /**
     * @param members of the topology, this one too
     */
    public ExpiryTime(Ticker ticker, int members) {
        this.ticker = ticker;
        this.members = members;
        this.watchedSinceNanos = ticker.nanos();
        this.sampledNanos = watchedSinceNanos;
        sample();
    }

    /** From now on, what the other members' clocks last said: those that are known. */
    public synchronized void listenTo(Supplier<List<Long>> clocks) {
        othersMillis = clocks;
    }

    /** To be called every {@link #SAMPLE_EVERY}. */
    public synchronized void sample() {
        long nanos = ticker.nanos();
        if (nanos - sampledNanos > MAX_GAP.toNanos()) {
            // The process stood still, and the clock may be wrong when it goes on.
            watchedSinceNanos = nanos;
        }
        sampledNanos = nanos;
        long offset = ticker.wallMillis() - nanos / NANOS_PER_MILLI;
        while (!samples.isEmpty() && samples.getLast().offsetMillis() >= offset) {
            samples.removeLast(); // it will never be the least again
        }
        samples.addLast(new Sample(nanos, offset));
        while (nanos - samples.getFirst().nanos() > WINDOW.toNanos()) {
            samples.removeFirst();
        }
    }

    /** What expires at or before this, in milliseconds since 1970, has expired; 0 if unknown. */
    public synchronized long millis() {
        sample();
        long nanos = ticker.nanos();
        if (nanos - watchedSinceNanos < WINDOW.toNanos()) {
            return 0;
        }
        long own = nanos / NANOS_PER_MILLI + samples.getFirst().offsetMillis();
        return Math.max(Math.min(own, majorityMillis(own, othersMillis.get(), members)), 0);
    }

    /** The latest moment that the clocks of a majority have come to; 0 if too few are known. */
    static long majorityMillis(long own, List<Long> others, int members) {
        long[] clocks = new long[members];
        clocks[0] = own;
        for (int i = 0; i < others.size(); i++) {
            clocks[i + 1] = others.get(i);
        }
        Arrays.sort(clocks);
        return clocks[members - (members / 2 + 1)];
    }
}
