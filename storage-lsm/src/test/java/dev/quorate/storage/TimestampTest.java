package dev.quorate.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampTest {

    private static final List<Timestamp> ASCENDING =
            List.of(
                    Timestamp.ZERO,
                    new Timestamp(0, 0, 7),
                    new Timestamp(5, 0),
                    new Timestamp(5, 0, 6),
                    new Timestamp(5, 0, 70),
                    new Timestamp(5, 0, Long.MIN_VALUE),
                    new Timestamp(5, 0, -1),
                    new Timestamp(5, 1),
                    new Timestamp(5, 1, 6),
                    new Timestamp(5, -1),
                    new Timestamp(6, 0),
                    new Timestamp(6, 0, 7),
                    new Timestamp(Long.MIN_VALUE, 0),
                    new Timestamp(-2, -1, -1),
                    new Timestamp(-1, -1));

    @Test
    void aStepComesBeforeTheNextRoot() {
        for (int i = 0; i < ASCENDING.size(); i++) {
            for (int j = 0; j < ASCENDING.size(); j++) {
                assertThat(ASCENDING.get(i).isAfter(ASCENDING.get(j))).isEqualTo(i > j);
                assertThat(ASCENDING.get(i).equals(ASCENDING.get(j))).isEqualTo(i == j);
            }
        }
    }

    @Test
    void theTextSortsAsTimestampsDo() {
        assertThat(ASCENDING.stream().map(Timestamp::toString).sorted())
                .containsExactlyElementsOf(ASCENDING.stream().map(Timestamp::toString).toList());
        assertThat(new Timestamp(5, 0)).hasToString("0000000000000005-00000000");
        assertThat(new Timestamp(5, 0, 6))
                .hasToString("0000000000000005-00000000-0000000000000006");
    }

    @Test
    void theTextIsReadAgain() {
        for (Timestamp timestamp : ASCENDING) {
            String text = timestamp.toString();
            assertThat(Timestamp.parse(text)).isEqualTo(timestamp);
            assertThat(text).hasSize(timestamp.textLength());
            byte[] bytes = new byte[text.length() + 2];
            timestamp.putText(bytes, 1);
            assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
                    .isEqualTo("\0" + text + "\0");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0000000000000005",
                "0000000000000005-0000000",
                "0000000000000005-000000000",
                "0000000000000005_00000000",
                "000000000000000G-00000000",
                "000000000000000A-00000000",
                "0000000000000005-00000000-",
                "0000000000000005-00000000-000000000000006",
                "0000000000000005-00000000_0000000000000006",
                "0000000000000005-00000000-000000000000000x",
                "0000000000000005-00000000-00000000000000060",
                // The step is 0, that of the root, before the root.
                "0000000000000005-00000000-0000000000000000",
                "0000000000000005-00000000-0000000000000005",
                "0000000000000005-00000000-0000000000000004"
            })
    void anotherTextIsRefused(String text) {
        assertThatThrownBy(() -> Timestamp.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("not a version");
    }

    @Test
    void aStepIsLaterThanItsRoot() {
        Timestamp root = new Timestamp(5, 0);
        for (long step : new long[] {1, 4, 5}) {
            assertThatThrownBy(() -> root.withStep(step))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(root.withStep(-1).root()).isEqualTo(root);
        assertThat(root.withStep(6).withStep(0)).isEqualTo(root);
    }

    @Test
    void theAgeIsThatOfTheLastWrite() {
        assertThat(new Timestamp(5, 0).madeAt()).isEqualTo(5);
        assertThat(new Timestamp(5, 0, 6).madeAt()).isEqualTo(6);
        Timestamp root = Timestamp.of(1_000, 1, 2);
        assertThat(root.wallMillis()).isEqualTo(1_000);
        assertThat(root.withStep(Timestamp.of(2_000, 0, 0).hybrid()).wallMillis()).isEqualTo(2_000);
    }

    @Test
    void aMomentHasMillisecondsEvenIfTheyAreZero() {
        assertThat(Timestamp.time(1_700_000_000_000L)).isEqualTo("2023-11-14T22:13:20.000Z");
        assertThat(Timestamp.time(1_700_000_000_120L)).isEqualTo("2023-11-14T22:13:20.120Z");
        assertThat(Timestamp.time(Long.MAX_VALUE)).isEqualTo("+292278994-08-17T07:12:55.807Z");
    }
}
