package dev.quorate.node.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shares as text. */
final class SharesTest {

    private static Shares parse(String words) throws InvalidTokensException {
        return Shares.parse(words.isEmpty() ? List.of() : List.of(words.split(" ", -1)));
    }

    @ParameterizedTest
    @CsvSource({
        "'', 0, 0, 0",
        "rate=1, 1, 0, 0",
        "rate=1000000 ranges=1024, 1000000, 0, 1024",
        "bytes-rate=64KiB, 0, 65536, 0",
        "bytes-rate=65537, 0, 65537, 0",
        "bytes-rate=1536KiB, 0, 1572864, 0",
        "bytes-rate=64GiB, 0, 68719476736, 0",
    })
    void theTextIsReadBackAsItIs(String text, int requests, long bytes, int ranges)
            throws Exception {
        Shares shares = new Shares(requests, bytes, ranges);
        assertThat(parse(text)).isEqualTo(shares);
        assertThat(shares.text()).isEqualTo(text);
    }

    @Test
    void aSizeHasTheLargestUnitThatIsExact() throws Exception {
        assertThat(parse("bytes-rate=1024KiB").text()).isEqualTo("bytes-rate=1MiB");
        assertThat(parse("bytes-rate=68719476736").text()).isEqualTo("bytes-rate=64GiB");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes-rate=0",
                "bytes-rate=-1",
                "bytes-rate=65535",
                "bytes-rate=1",
                "bytes-rate=63KiB",
                "bytes-rate=65GiB",
                "bytes-rate=999999999999GiB",
                "bytes-rate=9999999999999999999",
                "bytes-rate=10mib",
                "bytes-rate=10MB",
                "bytes-rate=10TiB",
                "bytes-rate=1.5MiB",
                "bytes-rate=+1MiB",
                "bytes-rate=\u0661MiB",
                "bytes-rate=",
                "ranges=0",
                "ranges=-1",
                "ranges=1025",
                "ranges=01",
                "ranges=4294967297",
                "rate=0",
                "rate=1000001",
                "rate=1 rate=1",
                "ranges=1 ranges=1",
                "bytes-rate=1MiB bytes-rate=1MiB",
                "RATE=1",
                "rate",
                "=1",
                "=",
                "",
            })
    void otherWordsAreRefused(String words) {
        assertThatThrownBy(() -> Shares.parse(List.of(words.split(" ", -1))))
                .isInstanceOf(InvalidTokensException.class);
    }

    @Test
    void numbersBeyondTheLimitsAreNoShares() {
        assertThatThrownBy(() -> new Shares(-1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Shares(0, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Shares(0, 0, 1_025))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
