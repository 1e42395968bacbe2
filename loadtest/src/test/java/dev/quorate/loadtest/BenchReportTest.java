package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.bench.BenchResult;
import dev.quorate.loadtest.bench.Measurement;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Results;
import dev.quorate.loadtest.load.Spectrum;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchReportTest {

    private static final BenchReport REPORT =
            new BenchReport(
                    new BenchResult(
                            List.of(
                                    measurement("one node, static", 0, 100_000, 120_000, 110_000),
                                    measurement("one node, GET", 0, 90_000, 88_000, 99_000)),
                            List.of()));

    private static Measurement measurement(String name, int rate, double... rates) {
        List<LoadResult> runs = Arrays.stream(rates).mapToObj(BenchReportTest::run).toList();
        return new Measurement(name, "one node, static", rate, runs, 0);
    }

    private static LoadResult run(double rate) {
        Spectrum latency =
                Results.spectrum(
                        1, 50_000 / rate, 200_000 / rate, 300_000 / rate, 1_000_000 / rate);
        return Results.result(1, rate, latency);
    }

    @Test
    void showsTheMedianAndWhatItIsOfTheStaticAnswer() {
        assertThat(REPORT.table())
                .isEqualTo(
                        """
                                          requests/s  of static  p50 ms  p99 ms  of static  p99.9 ms  max ms           all runs
                        one node, static     110,000       1.00    0.45    1.82        1.0       2.7     9.1  100,000 - 120,000
                        one node, GET         90,000       0.82    0.56    2.22        1.2       3.3    11.1    88,000 - 99,000
                        """);
    }

    @Test
    void comparesToWhatWasMeasuredBesideIt() {
        Measurement fixed = measurement("one node, static", 0, 100_000);
        Measurement get =
                new Measurement("one node, GET", "one node, static", 0, List.of(run(90_000)), 0.75);
        BenchReport report = new BenchReport(new BenchResult(List.of(fixed, get), List.of()));
        assertThat(report.table()).contains("90,000       0.75");
        assertThat(report.json()).contains("\"reference\":\"one node, static\",\"ratio\":0.750");
    }

    @Test
    void showsOfAFixedRateWhichLatenciesItHad() {
        BenchReport report =
                new BenchReport(
                        new BenchResult(
                                List.of(
                                        measurement("one node, static", 9_000, 9_000),
                                        measurement("one node, GET", 9_500, 8_000, 10_000, 5_000)),
                                List.of(new BenchResult.Refusal("one node, PUT", "it broke."))));
        assertThat(report.table())
                .isEqualTo(
                        """
                                          requests/s  of static  p50 ms  p99 ms  of static  p99.9 ms  max ms          all runs
                        one node, static       9,000               5.56   22.22        1.0      33.3   111.1  22.22 - 22.22 ms
                        one node, GET          8,000               6.25   25.00        1.1      37.5   125.0  20.00 - 40.00 ms

                        one node, GET: 9,500 requests/s were to be sent, and 8,000 came: its latencies are those of a queue.
                        one node, PUT: no figure: it broke.
                        """);
        assertThat(report.json())
                .contains(
                        """
                        {"name":"one node, GET","value":8000.000,"unit":"requests/s","reference":null,"ratio":null}
                        """
                                .strip());
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
                          {"name":"one node, static, p99.9","value":2.727,"unit":"ms","reference":null,"ratio":null},
                          {"name":"one node, static, max","value":9.091,"unit":"ms","reference":null,"ratio":null},
                          {"name":"one node, GET","value":90000.000,"unit":"requests/s","reference":"one node, static","ratio":0.818},
                          {"name":"one node, GET, p50","value":0.556,"unit":"ms","reference":"one node, static, p50","ratio":1.222},
                          {"name":"one node, GET, p99","value":2.222,"unit":"ms","reference":"one node, static, p99","ratio":1.222},
                          {"name":"one node, GET, p99.9","value":3.333,"unit":"ms","reference":"one node, static, p99.9","ratio":1.222},
                          {"name":"one node, GET, max","value":11.111,"unit":"ms","reference":"one node, static, max","ratio":1.222}
                        ]
                        """);
    }
}
