package dev.quorate.router.clock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Seed;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class HybridClockTest {

    private static final Duration MAX_AHEAD = Duration.ofMillis(500);
    private static final int NODE = 7;

    private final ManualTime time = new ManualTime();
    private final HybridClock clock = HybridClock.volatileClock(time, NODE, MAX_AHEAD);

    private Timestamp next() {
        Timestamp stamp = clock.next();
        assertThat(stamp).isNotNull();
        return stamp;
    }

    @Test
    void followsTheWallClock() {
        assertThat(next()).isEqualTo(Timestamp.of(time.wallMillis(), 0, NODE));
        assertThat(next()).isEqualTo(Timestamp.of(time.wallMillis(), 1, NODE));
        time.advanceMillis(3);
        assertThat(next()).isEqualTo(Timestamp.of(time.wallMillis(), 0, NODE));
    }

    @Test
    void countsOnWhileTheWallClockIsBack() {
        Timestamp before = next();
        time.jumpWall(Duration.ofDays(-365));
        assertThat(next()).isEqualTo(new Timestamp(before.hybrid() + 1, NODE));
    }

    @Test
    void anOverflowingCounterMovesToTheNextMillisecond() {
        Timestamp last = next();
        for (int i = 0; i < 70_000; i++) {
            Timestamp stamp = next();
            assertThat(stamp.isAfter(last)).isTrue();
            last = stamp;
        }
        assertThat(last).isEqualTo(Timestamp.of(time.wallMillis() + 1, 70_000 - 65_536, NODE));
    }

    @Test
    void stampsLaterThanObservedTimestamps() {
        Timestamp other = Timestamp.of(time.wallMillis() + 400, 9, NODE + 1);
        assertThat(clock.observe(other)).isTrue();
        assertThat(clock.reading()).isEqualTo(other.hybrid());
        assertThat(next()).isEqualTo(Timestamp.of(time.wallMillis() + 400, 10, NODE));
    }

    @Test
    void stampsLaterThanTheStepsOfObservedTimestamps() {
        Timestamp root = Timestamp.of(time.wallMillis() - 9_000, 9, NODE + 1);
        Timestamp conditional = root.withStep(Timestamp.of(time.wallMillis() + 100, 9, 0).hybrid());
        assertThat(clock.observe(conditional)).isTrue();
        assertThat(next()).isEqualTo(Timestamp.of(time.wallMillis() + 100, 10, NODE));
        assertThat(clock.observe(root.withStep(-1))).isFalse();
        assertThat(clock.observeFromClient(root.withStep(-1))).isFalse();
    }

    @Test
    void doesNotFollowAClockThatIsTooFarAhead() {
        long wall = time.wallMillis();
        assertThat(clock.observe(Timestamp.of(wall + 501, 0, 1))).isFalse();
        assertThat(clock.observe(new Timestamp(-1, 1))).isFalse();
        assertThat(next()).isEqualTo(Timestamp.of(wall, 0, NODE));
        assertThat(clock.observe(Timestamp.of(wall + 500, 0, 1))).isTrue();
    }

    /** Peers follow twice as far, so that none whose clock is a little behind is left behind. */
    @Test
    void aClientMovesItHalfAsFarAsANode() {
        long wall = time.wallMillis();
        assertThat(clock.observeFromClient(Timestamp.of(wall + 251, 0, 1))).isFalse();
        assertThat(clock.reading()).isLessThan(Timestamp.of(wall + 1, 0, 1).hybrid());
        assertThat(clock.observeFromClient(Timestamp.of(wall + 250, 0, 1))).isTrue();
        // A version that a node of this cluster gave out is taken back, however far it is.
        assertThat(clock.observe(Timestamp.of(wall + 500, 7, 1))).isTrue();
        assertThat(clock.observeFromClient(Timestamp.of(wall + 500, 7, 1))).isTrue();
    }

    @Test
    void anObservedTimestampIsNeverTooFarAhead() {
        Timestamp seen = Timestamp.of(time.wallMillis() + 500, 0, 1);
        assertThat(clock.observe(seen)).isTrue();
        time.jumpWall(Duration.ofHours(-1));
        assertThat(clock.observe(seen)).isTrue();
    }

    @Test
    void aStampIsLaterThanAllStampsAndObservationsBefore() {
        RandomGenerator random = Seed.random("HybridClockTest.aStampIsLater");
        Timestamp latest = Timestamp.ZERO;
        for (int i = 0; i < 20_000; i++) {
            switch (random.nextInt(4)) {
                case 0 -> time.advanceMillis(random.nextInt(3));
                case 1 -> time.jumpWall(Duration.ofMillis(random.nextInt(-20, 20)));
                case 2 -> {
                    Timestamp other =
                            Timestamp.of(
                                    time.wallMillis() + random.nextInt(-600, 600),
                                    random.nextInt(1 << 16),
                                    random.nextInt());
                    if (clock.observe(other)
                            && Long.compareUnsigned(other.hybrid(), latest.hybrid()) > 0) {
                        latest = other;
                    }
                }
                case 3 -> {
                    Timestamp stamp = next();
                    assertThat(stamp.hybrid()).isGreaterThan(latest.hybrid());
                    latest = stamp;
                }
                default -> throw new AssertionError();
            }
            assertThat(clock.reading()).isGreaterThanOrEqualTo(latest.hybrid());
        }
    }

    @Test
    void aStopThatOthersRaceLeavesNoStampBeyondItsBound() throws Exception {
        for (int round = 0; round < 200; round++) {
            HybridClock racing = HybridClock.reserved(time, NODE, 0, MAX_AHEAD);
            racing.allowUpTo(Long.MAX_VALUE);
            try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
                Callable<Timestamp> stamping =
                        () -> {
                            Timestamp last = Timestamp.ZERO;
                            Timestamp stamp;
                            while ((stamp = racing.next()) != null) {
                                last = stamp;
                            }
                            return last;
                        };
                Future<Timestamp> a = executor.submit(stamping);
                Future<Timestamp> b = executor.submit(stamping);
                long bound = racing.stop();
                assertThat(a.get().hybrid()).isLessThanOrEqualTo(bound);
                assertThat(b.get().hybrid()).isLessThanOrEqualTo(bound);
            }
        }
    }

    @Test
    void threadsNeverGetTheSameStampAndEachSeesThemGrow() throws Exception {
        int threads = 4;
        int each = 20_000;
        Set<Timestamp> all = ConcurrentHashMap.newKeySet();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<Boolean>> done = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int seed = t;
                Callable<Boolean> stamping =
                        () -> {
                            Timestamp last = Timestamp.ZERO;
                            for (int i = 0; i < each; i++) {
                                if (i % 100 == seed) {
                                    clock.observe(last.hybrid() + 50);
                                }
                                Timestamp stamp = next();
                                if (!stamp.isAfter(last) || !all.add(stamp)) {
                                    return false;
                                }
                                last = stamp;
                            }
                            return true;
                        };
                done.add(executor.submit(stamping));
            }
            for (Future<Boolean> thread : done) {
                assertThat(thread.get()).isTrue();
            }
        }
        assertThat(all).hasSize(threads * each);
    }
}
