package dev.quorate.loadtest.wrk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.quorate.loadtest.process.CommandException;
import dev.quorate.loadtest.wrk.WrkResult.Percentiles;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files were printed by wrk 4.1.0 and wrk2 4.0.0, and the last lines by our script. */
class WrkOutputTest {

    @Test
    void readsARunThatWentWell() throws Exception {
        WrkResult result = WrkOutput.parse(printed("clean.txt"));
        assertThat(result)
                .isEqualTo(
                        new WrkResult(
                                12_187,
                                3_890.83,
                                new Percentiles(12.84, 94.08, 120.5, 132.271),
                                0,
                                0,
                                Map.of(),
                                0,
                                false));
    }

    @Test
    void readsARunWithErrorsOfEveryKind() throws Exception {
        WrkResult result = WrkOutput.parse(printed("errors.txt"));
        assertThat(result.requests()).isEqualTo(14_119);
        assertThat(result.socketErrors()).as("read 147, timeout 13").isEqualTo(160);
        assertThat(result.statusErrors()).isEqualTo(1_399);
        assertThat(result.latency().p99Millis()).isEqualTo(188.77);
    }

    @Test
    void readsWhatWrk2Prints() throws Exception {
        WrkResult result = WrkOutput.parse(printed("wrk2.txt"));
        assertThat(result)
                .isEqualTo(
                        new WrkResult(
                                13_986,
                                998.96,
                                new Percentiles(1.16, 24.46, 40.48, 46.72),
                                0,
                                0,
                                Map.of(),
                                0,
                                false));
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
        String text = printed("clean.txt").replace("  94.08ms", " " + printed);
        assertThat(WrkOutput.parse(text).latency().p99Millis()).isCloseTo(millis, within(1e-9));
    }

    @Test
    void refusesARunThatDidNotComeToItsEnd() throws Exception {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> WrkOutput.parse(printed("refused.txt")))
                .withMessageContaining("unable to connect to 127.0.0.1:1 Connection refused");
        String clean = printed("clean.txt");
        for (String missing :
                new String[] {"Requests/sec", "requests in", " 50%", " 99%", "99.9%", "100%"}) {
            assertThatExceptionOfType(CommandException.class)
                    .as(missing)
                    .isThrownBy(() -> WrkOutput.parse(clean.replace(missing, "gone")));
        }
    }

    private static String printed(String name) throws IOException {
        try (InputStream in = WrkOutputTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}
