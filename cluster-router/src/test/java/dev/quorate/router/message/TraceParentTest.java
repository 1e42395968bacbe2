package dev.quorate.router.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What counts as a traceparent, and what is left of a client's text. */
final class TraceParentTest {

    private static final String VALID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @Test
    void theNumbersOfAValidOneAreTaken() {
        TraceParent trace = Objects.requireNonNull(TraceParent.parse(VALID));
        assertThat(trace)
                .isEqualTo(
                        new TraceParent(
                                0x4bf92f3577b34da6L, 0xa3ce929d0e0e4736L, 0x00f067aa0ba902b7L, 1));
        assertThat(trace.id()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
    }

    @Test
    void zerosInFrontOfHalvesAreKept() {
        TraceParent trace = new TraceParent(0, 1, 1, 0);
        assertThat(trace.id()).isEqualTo("00000000000000000000000000000001");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
                "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
                "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
                "00-4bf92f3577b34da6a3ce929d0e0e473\u0001-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e473\u0665-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e473\n-00f067aa0ba902b7-01",
            })
    void everythingElseIsNone(String text) {
        assertThat(TraceParent.parse(text)).isNull();
        assertThat(TraceParent.parse("0".repeat(10_000))).isNull();
    }

    /** Each character changed to any other one: whatever is still valid says what it said. */
    @Test
    void oneWrongCharacterIsNeverTakenForAnother() {
        for (int at = 0; at < VALID.length(); at++) {
            for (char other = 0; other < 0x500; other++) {
                String text = VALID.substring(0, at) + other + VALID.substring(at + 1);
                TraceParent trace = TraceParent.parse(text);
                if (trace != null) {
                    assertThat(text.substring(3, 35)).isEqualTo(trace.id());
                }
            }
        }
    }

    @Test
    void oneThatIsMadeIsValid() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 1_000; i++) {
            TraceParent made = TraceParent.make(random);
            assertThat(made.id()).matches("[0-9a-f]{32}").doesNotMatch("0+");
        }
    }

    @Test
    void zerosAreRefused() {
        assertThatThrownBy(() -> new TraceParent(0, 0, 1, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TraceParent(1, 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
