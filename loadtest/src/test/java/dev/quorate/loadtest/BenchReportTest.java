package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.bench.Measurement;
import dev.quorate.loadtest.wrk.WrkResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchReportTest {

    private static final BenchReport REPORT =
            new BenchReport(
                    List.of(
                            measurement("one node, static", 100_000, 120_000, 110_000),
                            measurement("one node, GET", 90_000, 88_000, 99_000)));

    private static Measurement measurement(String name, double... rates) {
        List<WrkResult> runs =
                java.util.Arrays.stream(rates)
                        .mapToObj(
                                rate ->
                                        new WrkResult(
                                                1,
                                                rate,
                                                50_000 / rate,
                                                200_000 / rate,
                                                0,
                                                0,
                                                Map.of(),
                                                false))
                        .toList();
        return new Measurement(name, "one node, static", runs);
    }

    @Test
    void showsTheMedianAndWhatItIsOfTheStaticAnswer() {
        assertThat(REPORT.table())
                .isEqualTo(
                        """
                                          requests/s  of static  p50 ms  p99 ms           all runs
                        one node, static     110,000       1.00    0.45    1.82  100,000 - 120,000
                        one node, GET         90,000       0.82    0.56    2.22    88,000 - 99,000
                        """);
    }

    @Test
    void namesForEachFigureTheOneItIsComparedTo() {
        assertThat(REPORT.json())
                .isEqualTo(
                        """
                        [
                          {"name":"one node, static","value":110000.000,"unit":"requests/s","reference":null,"ratio":null},
                          {"name":"one node, static, p50","value":0.455,"unit":"ms","reference":null,"ratio":null},
                          {"name":"one node, static, p99","value":1.818,"unit":"ms","reference":null,"ratio":null},
                          {"name":"one node, GET","value":90000.000,"unit":"requests/s","reference":"one node, static","ratio":0.818},
                          {"name":"one node, GET, p50","value":0.556,"unit":"ms","reference":"one node, static, p50","ratio":1.222},
                          {"name":"one node, GET, p99","value":2.222,"unit":"ms","reference":"one node, static, p99","ratio":1.222}
                        ]
                        """);
    }
}
