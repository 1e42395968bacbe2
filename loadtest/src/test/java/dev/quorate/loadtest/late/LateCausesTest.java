package dev.quorate.loadtest.late;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.late.LateCauses.Row;
import dev.quorate.loadtest.load.Span;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LateCausesTest {

    private static final Duration LIMIT = Duration.ofMillis(4);

    private static Span millis(double from, double to) {
        return new Span((long) (from * 1e6), (long) (to * 1e6));
    }

    private static Happening happening(Cause cause, double from, double to) {
        return new Happening(cause, millis(from, to), "n1");
    }

    private static List<Row> rows(List<Span> late, Happening... happenings) {
        return LateCauses.of(LIMIT, late, List.of(happenings)).rows();
    }

    @Test
    void aMomentHasTheCauseThatOverlapsIt() {
        assertThat(
                        rows(
                                List.of(millis(100, 108), millis(104, 110), millis(200, 205)),
                                happening(Cause.COLLECTOR, 99, 107),
                                happening(Cause.FSYNC, 198, 203)))
                .containsExactly(
                        new Row(Cause.COLLECTOR, 1, 2, 8_000_000, Map.of("n1", 1)),
                        new Row(Cause.FSYNC, 1, 1, 5_000_000, Map.of("n1", 1)));
    }

    @Test
    void whatEndedBeforeOrBeganAfterIsNoCause() {
        assertThat(
                        rows(
                                List.of(millis(100, 108)),
                                happening(Cause.COLLECTOR, 90, 100),
                                happening(Cause.TABLE, 108, 500)))
                .containsExactly(new Row(Cause.UNKNOWN, 1, 1, 8_000_000, Map.of()));
    }

    @Test
    void whatTakesLessThanAQuarterOfTheLongestRequestIsNoCause() {
        assertThat(rows(List.of(millis(100, 108)), happening(Cause.SAFEPOINT, 99, 101.9)))
                .first()
                .returns(Cause.UNKNOWN, Row::cause);
        assertThat(rows(List.of(millis(100, 108)), happening(Cause.SAFEPOINT, 99, 102)))
                .first()
                .returns(Cause.SAFEPOINT, Row::cause);
    }

    @Test
    void aShortPauseIsNotTheCauseOfALongQueue() {
        assertThat(
                        rows(
                                List.of(millis(100, 500), millis(450, 900)),
                                happening(Cause.COLLECTOR, 200, 212),
                                happening(Cause.FSYNC, 100, 180),
                                happening(Cause.FSYNC, 400, 440)))
                .containsExactly(new Row(Cause.FSYNC, 1, 2, 450_000_000, Map.of("n1", 1)));
    }

    @Test
    void whatHappensInSeveralPlacesAtATimeCountsOnce() {
        Happening other = new Happening(Cause.FSYNC, millis(100, 101.5), "n2");
        assertThat(rows(List.of(millis(100, 108)), happening(Cause.FSYNC, 100, 101.5), other))
                .first()
                .returns(Cause.UNKNOWN, Row::cause);
        Happening later = new Happening(Cause.FSYNC, millis(101, 102), "n2");
        assertThat(rows(List.of(millis(100, 108)), happening(Cause.FSYNC, 100, 101.5), later))
                .containsExactly(new Row(Cause.FSYNC, 1, 1, 8_000_000, Map.of("n1", 1, "n2", 1)));
    }

    @Test
    void ofSeveralCausesTheFirstOfTheListIsGiven() {
        assertThat(
                        rows(
                                List.of(millis(100, 120)),
                                happening(Cause.GENERATOR, 90, 120),
                                happening(Cause.STOLEN, 90, 120),
                                happening(Cause.COMPILER, 90, 120),
                                happening(Cause.FSYNC, 90, 120),
                                happening(Cause.TABLE, 90, 120),
                                happening(Cause.SAFEPOINT, 110, 115)))
                .extracting(Row::cause)
                .containsExactly(Cause.SAFEPOINT);
    }

    @Test
    void momentsOfOneCauseAreAddedUpAndEachPlaceIsCounted() {
        assertThat(
                        rows(
                                List.of(millis(100, 108), millis(300, 330)),
                                happening(Cause.TABLE, 50, 400),
                                new Happening(Cause.TABLE, millis(290, 310), "n3"),
                                new Happening(Cause.TABLE, millis(310, 320), "n3")))
                .containsExactly(new Row(Cause.TABLE, 2, 2, 30_000_000, Map.of("n1", 2, "n3", 1)));
    }

    @Test
    void causesComeInTheirOrderWithTheUnknownLast() {
        assertThat(
                        rows(
                                List.of(millis(10, 20), millis(100, 110), millis(200, 210)),
                                happening(Cause.GENERATOR, 100, 110),
                                happening(Cause.COLLECTOR, 200, 210)))
                .extracting(Row::cause)
                .containsExactly(Cause.COLLECTOR, Cause.GENERATOR, Cause.UNKNOWN);
    }

    @Test
    void withoutLateRequestsThereAreNoCauses() {
        assertThat(rows(List.of(), happening(Cause.COLLECTOR, 1, 20))).isEmpty();
    }
}
