package dev.quorate.loadtest.fault;

import static dev.quorate.loadtest.fault.Runs.pair;
import static dev.quorate.loadtest.fault.Runs.result;
import static dev.quorate.loadtest.fault.Runs.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.fault.FaultMeasurement.Pair;
import dev.quorate.loadtest.fault.FaultMeasurement.Run;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultMeasurementTest {

    @Test
    void eachRatioIsToTheHealthyRunRightBefore() {
        // The machine became twice as slow; the ratios did not.
        FaultMeasurement measurement =
                new FaultMeasurement(
                        "paused",
                        List.of(
                                pair(1_000, 900, 950, 15, 0),
                                pair(500, 400, 500, 30, 20),
                                pair(500, 425, 250, 20, 10)));
        assertThat(measurement.median(FaultMeasurement::throughputRatio)).isEqualTo(0.85);
        assertThat(measurement.least(FaultMeasurement::throughputRatio)).isEqualTo(0.8);
        assertThat(measurement.most(FaultMeasurement::throughputRatio)).isEqualTo(0.9);
        assertThat(measurement.median(FaultMeasurement::p99Ratio)).isEqualTo(2);
        assertThat(measurement.median(FaultMeasurement::backRatio)).isEqualTo(0.95);
        assertThat(measurement.median(FaultMeasurement::backP99Ratio)).isEqualTo(1.2);
        assertThat(measurement.most(Pair::settledMillis)).isEqualTo(20);
        assertThat(measurement.errors()).isZero();
        assertThat(measurement.settled()).isTrue();
    }

    @Test
    void theMiddleOfAnEvenNumberIsBetweenTwo() {
        FaultMeasurement measurement =
                new FaultMeasurement(
                        "paused", List.of(pair(1_000, 500, 1, 1, 0), pair(1_000, 750, 1, 1, 0)));
        assertThat(measurement.median(FaultMeasurement::throughputRatio)).isEqualTo(0.625);
    }

    @Test
    void errorsAreNoThroughput() {
        Run failing = new Run(result(2_000, 1, 5_000, 3), Peaks.NONE);
        Run back = new Run(result(1_000, 1, 0, 1), Peaks.NONE);
        Pair pair = new Pair(run(2_000, 10, Peaks.NONE), failing, back, -1);
        FaultMeasurement measurement = new FaultMeasurement("killed", List.of(pair));
        assertThat(failing.goodPerSecond()).isEqualTo(1_500);
        assertThat(measurement.median(FaultMeasurement::throughputRatio)).isEqualTo(0.75);
        assertThat(measurement.errors()).isEqualTo(5_004);
        assertThat(measurement.settled()).isFalse();
    }

    @Test
    void peaksAreTheMostOfTheFaultAndOfTheReturn() {
        assertThat(FaultMeasurement.peaks(pair(10, 9, 8, 1, 0)))
                .isEqualTo(new Peaks(200 << 20, 4_096, 1 << 20, 3 << 20));
    }
}
