package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.cli.local.Amounts;
import dev.quorate.router.runtime.Ticker;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/**
 * Shows the progress of a long command in one line of a terminal, which is written over and over.
 * Shows nothing elsewhere. Thread-safe.
 */
public final class Progress implements AutoCloseable {

    private static final long PERIOD_NANOS = Duration.ofMillis(500).toNanos();
    private static final String CLEAR = "\r\u001b[K";

    private final Ticker ticker;
    private final PrintWriter terminal;
    private final boolean isShown;
    private final long startedNanos;
    private long shownNanos;
    private long entries;
    private long bytes;
    private long totalBytes;

    /**
     * @param isShown whether {@code terminal} is one
     */
    public Progress(Ticker ticker, PrintWriter terminal, boolean isShown) {
        this.ticker = ticker;
        this.terminal = terminal;
        this.isShown = isShown;
        this.startedNanos = ticker.nanos();
        this.shownNanos = startedNanos;
    }

    /** Shown if the launcher says that standard error is a terminal. */
    public static Progress onTerminal(Ticker ticker) {
        return new Progress(
                ticker,
                new PrintWriter(System.err, false, UTF_8),
                Boolean.getBoolean("quorate.terminal"));
    }

    /** Adds to the bytes that there are in all, as far as they are known. */
    public synchronized Progress expect(long moreBytes) {
        totalBytes += moreBytes;
        return this;
    }

    public synchronized void add(long moreEntries, long moreBytes) {
        entries += moreEntries;
        bytes += moreBytes;
        long now = ticker.nanos();
        if (isShown && now - shownNanos >= PERIOD_NANOS) {
            shownNanos = now;
            terminal.print(CLEAR + text((now - startedNanos) / 1e9));
            terminal.flush();
        }
    }

    private String text(double seconds) {
        double rate = bytes / seconds;
        String count = entries == 0 ? "" : String.format(Locale.ROOT, "%,d entries, ", entries);
        String total = totalBytes == 0 ? "" : " of " + Amounts.bytes((double) totalBytes);
        String left =
                totalBytes <= bytes || rate == 0
                        ? ""
                        : ", " + Amounts.time((totalBytes - bytes) / rate) + " left";
        return "%s%s%s, %s/s%s"
                .formatted(count, Amounts.bytes((double) bytes), total, Amounts.bytes(rate), left);
    }

    /** Removes the line. */
    @Override
    public synchronized void close() {
        if (isShown) {
            terminal.print(CLEAR);
            terminal.flush();
        }
    }
}
