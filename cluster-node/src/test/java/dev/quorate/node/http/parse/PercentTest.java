package dev.quorate.node.http.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.router.Seed;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every text stands for its own bytes, or for none. */
final class PercentTest {

    @ParameterizedTest
    @CsvSource({
        "a, 61",
        "%61, 61",
        "%00, 00",
        "a%00b, 610062",
        "+, 2b",
        "a+b, 612b62",
        "%2B, 2b",
        "%20, 20",
        "%2f, 2f",
        "%2F, 2f",
        "/, 2f",
        "..%2f.., 2e2e2f2e2e",
        "%25, 25",
        "%2541, 253431",
        "%F0%9F%98%80, f09f9880",
        "%DF%98%2580, df98253830",
        "%ED%A0%80, eda080",
        "%C0%80, c080",
        "%FF%FE, fffe",
        "=, 3d",
        "a=b=c, 613d623d63",
        "?, 3f",
        "{|}, 7b7c7d",
    })
    void escapesAreBytes(String raw, String hex) throws Exception {
        assertThat(Percent.decode(raw)).isEqualTo(HexFormat.of().parseHex(hex));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "%", "%4", "a%", "a%4", "%%", "%%41", "%zz", "%4z", "%z4", "%-1", "%+1", "% 1",
                "%1 ", "%u0041", "%G0", "41%", "%41%", "%41%4"
            })
    void malformedEscapesAreRefused(String raw) {
        assertThatExceptionOfType(Percent.MalformedEscapeException.class)
                .isThrownBy(() -> Percent.decode(raw));
    }

    @Test
    void everyKeyHasATextAndEveryTextOneKey() throws Exception {
        RandomGenerator random = Seed.random("PercentTest");
        for (int round = 0; round < 100_000; round++) {
            byte[] key = new byte[random.nextInt(1, 12)];
            random.nextBytes(key);
            assertThat(Percent.decode(Percent.encode(key))).isEqualTo(key);
            StringBuilder mixed = new StringBuilder();
            for (byte b : key) {
                boolean escapes = random.nextBoolean() || b <= 0x20 || b >= 0x7F || b == '%';
                mixed.append(
                        escapes ? "%" + HexFormat.of().toHexDigits(b) : String.valueOf((char) b));
            }
            assertThat(Percent.decode(mixed.toString())).isEqualTo(key);
        }
    }
}
