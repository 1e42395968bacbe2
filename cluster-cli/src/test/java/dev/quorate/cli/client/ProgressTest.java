package dev.quorate.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.Ticker;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class ProgressTest {

    private static final String CLEAR = "\r\u001b[K";

    private final StringWriter terminal = new StringWriter();
    private long nanos;
    private final Ticker ticker =
            new Ticker() {
                @Override
                public long wallMillis() {
                    return 0;
                }

                @Override
                public long nanos() {
                    return nanos;
                }
            };

    private Progress progress(boolean isShown) {
        return new Progress(ticker, new PrintWriter(terminal), isShown);
    }

    private void after(long millis) {
        nanos += millis * 1_000_000;
    }

    @Test
    void oneLineHasWhatIsDoneTheTotalTheRateAndTheTimeLeft() {
        try (Progress progress = progress(true)) {
            progress.expect(10 << 20);
            after(1_000);
            progress.add(1_000, 1 << 20);
            assertThat(terminal)
                    .hasToString(CLEAR + "1,000 entries, 1.0 MiB of 10.0 MiB, 1.0 MiB/s, 9 s left");
            after(100);
            progress.add(1, 1);
            assertThat(terminal.toString().split(CLEAR.replace("[", "\\["), -1)).hasSize(2);
        }
        assertThat(terminal.toString()).endsWith(" left" + CLEAR);
    }

    @Test
    void withoutATotalThereIsNoTimeLeft() {
        Progress progress = progress(true);
        after(2_000);
        progress.add(0, 1 << 20);
        assertThat(terminal).hasToString(CLEAR + "1.0 MiB, 512.0 KiB/s");
    }

    @Test
    void nothingIsPrintedOnAPipe() {
        try (Progress progress = progress(false)) {
            after(60_000);
            progress.add(1, 1 << 20);
        }
        assertThat(terminal.toString()).isEmpty();
    }
}
