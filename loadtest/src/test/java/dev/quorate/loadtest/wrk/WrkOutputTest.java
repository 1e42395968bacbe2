package dev.quorate.loadtest.wrk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Results;
import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.load.Spectrum.Point;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files were printed by wrk 4.1.0 and wrk2 4.0.0, and the last lines by our script. */
class WrkOutputTest {

    @Test
    void readsARunThatWentWell() throws Exception {
        LoadResult result = WrkOutput.parse(printed("clean.txt"));
        Spectrum latency =
                new Spectrum(
                        List.of(
                                new Point(12.84, 0.5, 6_094),
                                new Point(19.72, 0.75, 9_141),
                                new Point(36.26, 0.9, 10_969),
                                new Point(94.08, 0.99, 12_066),
                                new Point(120.5, 0.999, 12_175),
                                new Point(132.271, 1, 12_187)),
                        18.02,
                        16.33,
                        132.271,
                        12_187);
        assertThat(result).isEqualTo(Results.result(12_187, 3_890.83, latency));
    }

    @Test
    void readsARunWithErrorsOfEveryKind() throws Exception {
        LoadResult result = WrkOutput.parse(printed("errors.txt"));
        assertThat(result.requests()).isEqualTo(14_119);
        assertThat(result.socketErrors()).as("read 147, timeout 13").isEqualTo(160);
        assertThat(result.statusErrors()).isEqualTo(1_399);
        assertThat(result.latency().millis(0.99)).isEqualTo(188.77);
    }

    @Test
    void readsWhatWrk2Prints() throws Exception {
        LoadResult result = WrkOutput.parse(printed("wrk2.txt"));
        Spectrum latency = result.latency();
        assertThat(result).isEqualTo(Results.result(13_986, 998.96, latency));
        assertThat(latency.points())
                .hasSize(62 + 4)
                .startsWith(new Point(0.120, 0, 1), new Point(0.520, 0.1, 397))
                .contains(new Point(1.165, 0.5, 1_980), new Point(24.46, 0.99, 3_916))
                .endsWith(new Point(46.719, 0.99999, 3_955), new Point(46.719, 1, 3_955));
        assertThat(latency.meanMillis()).isEqualTo(2.23);
        assertThat(latency.deviationMillis()).isEqualTo(4.13);
        assertThat(latency.maxMillis()).isEqualTo(46.719);
        assertThat(latency.count()).as("without the calibration").isEqualTo(3_955);
        assertThat(latency.millis(0.999)).isEqualTo(40.48);
    }

    @Test
    void readsTheAnswersThatTheScriptCounted() throws Exception {
        String counted =
                printed("clean.txt")
                        + "Answers by status: 200=12180 404=7\n"
                        + "Bodies that no key has: 3\n";
        assertThat(WrkOutput.parse(counted).strangeBodies()).isEqualTo(3);
        assertThat(WrkOutput.parse(counted).answers()).isEqualTo(Map.of(200, 12_180L, 404, 7L));
        assertThat(WrkOutput.parse(counted).everyKey()).isFalse();
        String complete = counted + "Every key was answered.\n";
        assertThat(WrkOutput.parse(complete).everyKey()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "94.08us, 0.09408",
        "94.08ms, 94.08",
        "1.50s, 1500",
        "'1.14s ', 1140",
        "'2.00m ', 120000",
        "1.00h, 3600000"
    })
    void readsEveryUnitOfTime(String printed, double millis) throws Exception {
        String text = printed("clean.txt").replace("  12.84ms", " " + printed);
        assertThat(WrkOutput.parse(text).latency().millis(0.5)).isCloseTo(millis, within(1e-9));
    }

    @Test
    void refusesARunThatDidNotComeToItsEnd() throws Exception {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> WrkOutput.parse(printed("refused.txt")))
                .withMessageContaining("unable to connect to 127.0.0.1:1 Connection refused");
        String clean = printed("clean.txt");
        for (String missing :
                new String[] {
                    "Requests/sec", "requests in", "    Latency ", " 50%", " 99%", "99.9%", "100%"
                }) {
            assertThatExceptionOfType(CommandException.class)
                    .as(missing)
                    .isThrownBy(() -> WrkOutput.parse(clean.replace(missing, "gone")));
        }
        String wrk2 = printed("wrk2.txt");
        for (String missing : new String[] {"#[Max", "#[Mean", "1/(1-Percentile)"}) {
            assertThatExceptionOfType(CommandException.class)
                    .as(missing)
                    .isThrownBy(() -> WrkOutput.parse(wrk2.replace(missing, "gone")))
                    .withMessageStartingWith("wrk printed a spectrum that cannot be read: ");
        }
    }

    private static String printed(String name) throws IOException {
        try (InputStream in = WrkOutputTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}
