package dev.quorate.node.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.budget.HttpDeadlines;
import dev.quorate.node.http.budget.Pressure;
import dev.quorate.node.http.connection.ConnectionTimes.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Clients that take an answer bit by bit. */
final class ConnectionTimesTest {

    private static final HttpDeadlines DEADLINES = HttpDeadlines.defaults();
    private static final int PACE = HttpDeadlines.ANSWER_BYTES_PER_SECOND;

    private final ConnectionTimes times = new ConnectionTimes(DEADLINES, 0);
    private long nowNanos;

    private void pass(int seconds) {
        nowNanos += Duration.ofSeconds(seconds).toNanos();
    }

    /** So much is taken each second, and there is more; how long that goes well. */
    private int secondsUntilGivenUp(long bytes, int most) {
        times.onRead(0, false, nowNanos);
        for (int second = 1; second <= most; second++) {
            pass(1);
            times.onRead(bytes, false, nowNanos);
            if (times.ofReader(nowNanos, Pressure.NONE) == Verdict.STALLED) {
                return second;
            }
        }
        return most;
    }

    @Test
    void aClientOnPaceIsNeverClosed() {
        assertThat(secondsUntilGivenUp(PACE, 100_000)).isEqualTo(100_000);
    }

    @Test
    void aClientThatReadsAByteNowAndThenIsClosedAfterTheGrace() {
        assertThat(secondsUntilGivenUp(1, 100_000)).isEqualTo(31);
    }

    @Test
    void aClientAtHalfThePaceHasTwiceTheGrace() {
        assertThat(secondsUntilGivenUp(PACE / 2, 100_000)).isBetween(58, 62);
    }

    @Test
    void oneAnswerThatWasTakenDoesNotCountForTheNext() {
        times.onRead(0, false, nowNanos);
        pass(25);
        times.onRead(1, true, nowNanos);
        assertThat(secondsUntilGivenUp(1, 100)).isEqualTo(31);
    }

    @Test
    void aFastClientIsClosedOnceItStops() {
        times.onRead(0, false, nowNanos);
        pass(1);
        times.onRead(1L << 40, false, nowNanos);
        pass(30);
        assertThat(times.ofReader(nowNanos, Pressure.NONE)).isEqualTo(Verdict.IN_TIME);
        pass(1);
        assertThat(times.ofReader(nowNanos, Pressure.NONE)).isEqualTo(Verdict.STALLED);
    }

    @Test
    void underPressureAClientThatDoesNotReadIsClosedSooner() {
        times.onRead(0, false, nowNanos);
        pass(5);
        assertThat(times.ofReader(nowNanos, Pressure.CROWDED)).isEqualTo(Verdict.IN_TIME);
        pass(1);
        assertThat(times.ofReader(nowNanos, Pressure.CROWDED)).isEqualTo(Verdict.STALLED);
        assertThat(times.ofReader(nowNanos, Pressure.NONE)).isEqualTo(Verdict.IN_TIME);
    }

    @Test
    void aClientOnPaceIsReadingAndAFewBytesAreNot() {
        times.onRead(0, false, nowNanos);
        for (int second = 0; second < 10; second++) {
            pass(1);
            times.onRead(PACE, false, nowNanos);
            assertThat(times.stoodNanos(nowNanos)).isZero();
        }
        for (int second = 1; second <= 8; second++) {
            pass(1);
            times.onRead(PACE / 4, false, nowNanos);
            assertThat(times.stoodNanos(nowNanos)).isEqualTo(second * 750_000_000L);
        }
        times.onRead(1L << 40, false, nowNanos);
        assertThat(times.stoodNanos(nowNanos)).as("nothing is paid in advance").isZero();
        pass(1);
        assertThat(times.stoodNanos(nowNanos)).isEqualTo(1_000_000_000L);
        times.onRead(1, true, nowNanos);
        assertThat(times.stoodNanos(nowNanos)).as("nothing waits").isZero();
    }

    @Test
    void whileRoomIsScarceABodyHasToKeepItsPaceFromTheStart() {
        times.parsed(true, nowNanos);
        pass(6);
        assertThat(times.ofBody(nowNanos, 10, Pressure.CROWDED)).isEqualTo(Verdict.REQUEST_LATE);
        assertThat(times.ofBody(nowNanos, 10, Pressure.NONE)).isEqualTo(Verdict.IN_TIME);
        long inPace = 2L * HttpDeadlines.BODY_BYTES_PER_SECOND;
        assertThat(times.ofBody(nowNanos, inPace, Pressure.CROWDED)).isEqualTo(Verdict.IN_TIME);
    }

    @Test
    void earlyBytesGiveNoCreditUnderPressure() {
        times.parsed(true, nowNanos);
        long sent = 15L << 20;
        pass(1);
        assertThat(times.ofBody(nowNanos, sent, Pressure.CROWDED)).isEqualTo(Verdict.IN_TIME);
        pass(6);
        assertThat(times.ofBody(nowNanos, sent, Pressure.NONE)).isEqualTo(Verdict.IN_TIME);
        assertThat(times.ofBody(nowNanos, sent, Pressure.CROWDED)).isEqualTo(Verdict.REQUEST_LATE);
    }

    @Test
    void aLargerBodyMustBeFasterUnderPressure() {
        times.parsed(true, nowNanos);
        long sent = 15L << 20;
        Verdict slowVerdict = Verdict.IN_TIME;
        for (int second = 0; second < 4; second++) {
            pass(1);
            sent += HttpDeadlines.BODY_BYTES_PER_SECOND;
            slowVerdict = times.ofBody(nowNanos, sent, Pressure.SHORT);
        }
        assertThat(slowVerdict).isEqualTo(Verdict.REQUEST_LATE);
        ConnectionTimes ofSmall = new ConnectionTimes(DEADLINES, nowNanos);
        ofSmall.parsed(true, nowNanos);
        long small = 0;
        for (int second = 0; second < 10; second++) {
            pass(1);
            small += HttpDeadlines.BODY_BYTES_PER_SECOND;
            assertThat(ofSmall.ofBody(nowNanos, small, Pressure.SHORT)).isEqualTo(Verdict.IN_TIME);
        }
    }
}
