package dev.quorate.loadtest.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FaultReportTest {

    private static final FaultMeasurement MEASURED =
            new FaultMeasurement(
                    "paused, GET 2/3",
                    List.of(
                            Runs.pair(10_000, 9_000, 9_500, 15, 100),
                            Runs.pair(5_000, 4_000, 5_000, 30, 2_100)));

    @Test
    void aLineHasWhatIsAskedOfACluster() {
        FaultResult result =
                new FaultResult(
                        List.of(MEASURED),
                        List.of(new FaultResult.Refusal("paused, PUT 2/3", "4 answers were 503.")));
        assertThat(new FaultReport(result).table())
                .containsPattern(
                        "paused, GET 2/3 +7,500 +10.0 +6,500 +0.85 +22.5 +2.3 +0 +7,250 +0.98"
                                + " +1.2 +2100 +4,096 +1.0 +3.0 +200 +0.80 - 0.90")
                .endsWith("\n\npaused, PUT 2/3: no figure: 4 answers were 503.\n");
    }

    @Test
    void aNodeThatNeverSettlesIsReported() {
        FaultMeasurement stuck =
                new FaultMeasurement("killed", List.of(Runs.pair(100, 90, 95, 15, -1)));
        FaultReport report = new FaultReport(new FaultResult(List.of(stuck), List.of()));
        assertThat(report.table()).contains(" never ");
        assertThat(report.json()).doesNotContain("settled");
    }

    @Test
    void jsonHasARowForEachFigureAndWhatItIsComparedTo() {
        FaultReport report = new FaultReport(new FaultResult(List.of(MEASURED), List.of()));
        assertThat(report.json().lines())
                .hasSize(14)
                .contains(
                        "  {\"name\":\"paused, GET 2/3\",\"value\":6500.000,"
                                + "\"unit\":\"requests/s\",\"reference\":"
                                + "\"paused, GET 2/3, healthy\",\"ratio\":0.850},",
                        "  {\"name\":\"paused, GET 2/3, p99\",\"value\":22.500,\"unit\":\"ms\","
                                + "\"reference\":\"paused, GET 2/3, healthy, p99\",\"ratio\":2.250},",
                        "  {\"name\":\"paused, GET 2/3, settled\",\"value\":2100.000,"
                                + "\"unit\":\"ms\",\"reference\":null,\"ratio\":null}");
    }
}
