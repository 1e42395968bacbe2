package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {

    @ParameterizedTest
    @CsvSource({"0, 0", "1ms, 1", "1500ms, 1500", "2s, 2000", "90m, 5400000", "3h, 10800000"})
    void aDurationIsReadAndWritten(String text, long millis) {
        assertThat(Units.DURATION.parse(text)).isEqualTo(millis);
        assertThat(Units.DURATION.text(millis)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1B, 1", "1025B, 1025", "64KiB, 65536", "16MiB, 16777216"})
    void aSizeIsReadAndWritten(String text, long bytes) {
        assertThat(Units.SIZE.parse(text)).isEqualTo(bytes);
        assertThat(Units.SIZE.text(bytes)).isEqualTo(text);
    }

    @Test
    void theLargestExactUnitIsWritten() {
        assertThat(Units.DURATION.text(60_000)).isEqualTo("1m");
        assertThat(Units.DURATION.text(7 * 86_400_000L)).isEqualTo("7d");
        assertThat(Units.SIZE.text(1L << 40)).isEqualTo("1024GiB");
    }

    @Test
    void aNumberWithoutAUnitMayHaveADefault() {
        assertThat(Units.DURATION.parse("60", 1, 100_000, "s")).isEqualTo(60_000);
        assertThat(Units.DURATION.parse("60ms", 1, 100_000, "s")).isEqualTo(60);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Units.DURATION.parse("60"))
                .withMessage("must be a duration with a unit (ms, s, m, h or d), for example 60d");
    }

    @ParameterizedTest
    @CsvSource({
        "''",
        "s",
        "-1s",
        "1.5s",
        "1 s",
        "1w",
        "1MiB",
        "9999999999999999ms",
        "106751991168d"
    })
    void anythingElseIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Units.DURATION.parse(text, 0, Long.MAX_VALUE, "s"))
                .withMessageStartingWith("must be a duration from 0 to ");
    }
}
