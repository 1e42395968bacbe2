package dev.quorate.node.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class ClockReservationTest {

    private static final Path DIRECTORY = Path.of("/data");
    private static final Path FILE = DIRECTORY.resolve(ClockReservation.FILE_NAME);
    private static final Duration AHEAD = Duration.ofSeconds(3);
    private static final Duration DRIFT = Duration.ofMillis(500);

    private final ManualTime time = new ManualTime();
    private final MemoryDisk disk = new MemoryDisk();
    private Timestamp newestStored = Timestamp.ZERO;

    private ClockReservation open() throws IOException {
        return ClockReservation.open(disk, DIRECTORY, time, 1, newestStored, AHEAD, DRIFT);
    }

    /** One that stamps, and renews nothing. */
    private ClockReservation started() throws IOException {
        ClockReservation reservation = open();
        reservation.start(time, task -> {});
        return reservation;
    }

    private static Timestamp next(ClockReservation reservation) {
        Timestamp stamp = reservation.clock().next();
        assertThat(stamp).isNotNull();
        return stamp;
    }

    @Test
    void beginsAtTheWallClock() throws IOException {
        assertThat(next(started())).isEqualTo(Timestamp.of(time.wallMillis(), 0, 1));
    }

    /** Its first messages go on from the bound, before its wall clock is there. */
    @Test
    void aNodeThatIsKilledAndBackAtOnceIsNotRefused() throws IOException {
        HybridClock other = HybridClock.volatileClock(time, 2, DRIFT.plus(AHEAD));
        time.jumpWall(DRIFT);
        next(started());
        long afterTheKill = open().clock().reading();
        time.jumpWall(DRIFT.negated());
        assertThat(other.aheadMillis(afterTheKill)).isEqualTo(AHEAD.plus(DRIFT).toMillis());
        assertThat(other.observe(afterTheKill)).isTrue();
    }

    /** More than clocks may differ is followed; only a quick restart is refused for that long. */
    @Test
    void aWallClockThatIsTooFarAheadIsRefusedOnlyAfterAQuickRestart() throws IOException {
        HybridClock other = HybridClock.volatileClock(time, 2, DRIFT.plus(AHEAD));
        time.jumpWall(DRIFT.plusMillis(100));
        long running = next(started()).hybrid();
        long afterTheKill = open().clock().reading();
        time.jumpWall(DRIFT.plusMillis(100).negated());
        assertThat(other.observe(running)).isTrue();
        assertThat(other.observe(afterTheKill)).isFalse();
        time.advanceMillis(100);
        assertThat(other.observe(afterTheKill)).isTrue();
    }

    @Test
    void startsAfterTheNewestStoredTimestamp() throws IOException {
        newestStored = Timestamp.of(time.wallMillis() + 86_400_000, 5, 9);
        assertThat(next(started())).isEqualTo(Timestamp.of(time.wallMillis() + 86_400_000, 6, 1));
    }

    @Test
    void aRestartWithTheClockSetBackStampsLater() throws IOException {
        Timestamp last = next(started());
        for (int restart = 0; restart < 5; restart++) {
            time.jumpWall(Duration.ofHours(-1));
            Timestamp stamp = next(started());
            assertThat(stamp.isAfter(last)).isTrue();
            last = stamp;
        }
    }

    @Test
    void refusesToStampBeyondTheBoundUntilItIsRenewed() throws IOException {
        Queue<Runnable> background = new ArrayDeque<>();
        try (ClockReservation reservation = open()) {
            reservation.start(time, background::add);
            time.advance(AHEAD.plusMillis(1));
            assertThat(reservation.clock().next()).isNull();
            assertThat(background).as("one renewal at a time").hasSize(1);
            background.remove().run();
            assertThat(next(reservation)).isEqualTo(Timestamp.of(time.wallMillis(), 0, 1));
        }
        assertThat(time.scheduled()).isZero();
    }

    @Test
    void renewsWhenAQuarterIsUsed() throws IOException {
        Queue<Runnable> background = new ArrayDeque<>();
        try (ClockReservation reservation = open()) {
            reservation.start(time, background::add);
            time.advanceMillis(AHEAD.toMillis() / 4 - 100);
            assertThat(background).isEmpty();
            time.advanceMillis(500);
            assertThat(background).hasSize(1);
            background.remove().run();
            for (int i = 0; i < 100; i++) {
                time.advanceMillis(400);
                background.forEach(Runnable::run);
                background.clear();
                next(reservation);
            }
        }
    }

    @Test
    void afterACrashItReportsHowLongTheWallClockTakesToCatchUp() throws IOException {
        started();
        time.advanceMillis(1000);
        assertThat(open().catchUpMillis()).isEqualTo(AHEAD.toMillis() - 1000);
        time.advanceMillis(86_400_000);
        assertThat(open().catchUpMillis()).isZero();
        time.jumpWall(Duration.ofHours(-1));
        assertThat(open().catchUpMillis()).as("waiting would take an hour").isZero();
    }

    /** Otherwise a node that is killed again and again would soon be where no peer follows it. */
    @Test
    void aRunThatIsKilledWhileItWaitsMovesTheBoundNoFurther() throws IOException {
        started();
        for (int restart = 0; restart < 5; restart++) {
            time.advanceMillis(100);
            assertThat(open().catchUpMillis()).isEqualTo(AHEAD.toMillis() - 100L * (restart + 1));
        }
    }

    @Test
    void afterAGracefulStopThereIsNoWait() throws IOException {
        Timestamp last;
        try (ClockReservation reservation = started()) {
            next(reservation);
            last = next(reservation);
        }
        ClockReservation again = open();
        assertThat(again.catchUpMillis()).isZero();
        again.start(time, task -> {});
        assertThat(next(again).isAfter(last)).isTrue();
    }

    @Test
    void aStoppedClockStaysStoppedDespiteALateRenewal() throws IOException {
        Queue<Runnable> background = new ArrayDeque<>();
        ClockReservation reservation = open();
        reservation.start(time, background::add);
        time.advanceMillis(1500);
        reservation.close();
        byte[] left = disk.bytes(FILE).clone();
        background.remove().run();
        reservation.close();
        assertThat(reservation.clock().next()).isNull();
        assertThat(disk.bytes(FILE)).isEqualTo(left);
    }

    @Test
    void triesAgainAfterTheDiskFailed() throws IOException {
        try (ClockReservation reservation = open()) {
            reservation.start(time, Runnable::run);
            disk.losePowerAfter(0);
            time.advance(AHEAD.multipliedBy(2));
            assertThat(reservation.clock().next()).isNull();
            disk.restorePower();
            time.advance(AHEAD);
            next(reservation);
        }
    }

    private void startIfThereIsPower(ClockReservation reservation) {
        try {
            reservation.start(time, Runnable::run);
        } catch (IOException noPower) {
            assertThat(reservation.clock().next()).isNull();
        }
    }

    @Test
    void losingPowerAtAnyStepNeverRepeatsAStamp() throws IOException {
        Timestamp last = Timestamp.ZERO;
        for (int steps = 0; steps < 30; steps++) {
            try (ClockReservation reservation = open()) {
                disk.losePowerAfter(steps);
                startIfThereIsPower(reservation);
                for (int i = 0; i < 40; i++) {
                    time.advanceMillis(500);
                    Timestamp stamp = reservation.clock().next();
                    if (stamp != null) {
                        assertThat(stamp.isAfter(last)).isTrue();
                        last = stamp;
                    }
                }
            }
            disk.restorePower();
            time.jumpWall(Duration.ofSeconds(-30));
        }
        assertThat(last.isAfter(Timestamp.ZERO)).isTrue();
    }

    @Test
    void everyDamagedByteIsNoticed() throws IOException {
        started();
        byte[] whole = disk.bytes(FILE).clone();
        for (int i = 0; i < whole.length; i++) {
            byte[] damaged = whole.clone();
            damaged[i] ^= 0x10;
            disk.put(FILE, damaged);
            assertThatThrownBy(this::open).isInstanceOf(CorruptionException.class);
        }
        for (int length = 0; length < whole.length; length++) {
            disk.put(FILE, Arrays.copyOf(whole, length));
            assertThatThrownBy(this::open).isInstanceOf(CorruptionException.class);
        }
    }

    @Test
    void theFileIsAsItWasInTheFirstRelease() throws IOException {
        started();
        try (InputStream golden = getClass().getResourceAsStream("clock-1.golden")) {
            assertThat(golden).isNotNull();
            assertThat(disk.bytes(FILE)).isEqualTo(golden.readAllBytes());
        }
    }
}
