package dev.quorate.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** More while nodes take everything, half as much when they do not. */
final class ImportWindowTest {

    private static void taken(ImportWindow window, int batches) {
        for (int i = 0; i < batches; i++) {
            window.ended(false);
        }
    }

    @Test
    void itGrowsByOneWhenAllOfItWasTaken() {
        ImportWindow window = new ImportWindow(6);
        assertThat(window.size()).isEqualTo(2);
        taken(window, 1);
        assertThat(window.size()).isEqualTo(2);
        taken(window, 1);
        assertThat(window.size()).isEqualTo(3);
        taken(window, 100);
        assertThat(window.size()).isEqualTo(6);
    }

    @Test
    void itIsHalvedWhenSomethingIsTurnedAway() {
        ImportWindow window = new ImportWindow(6);
        taken(window, 100);
        window.ended(true);
        assertThat(window.size()).isEqualTo(3);
        window.ended(true);
        window.ended(true);
        assertThat(window.size()).isEqualTo(1);
        taken(window, 1);
        assertThat(window.size()).isEqualTo(2);
        window.ended(true);
        taken(window, 0);
        assertThat(window.size()).isEqualTo(1);
    }
}
