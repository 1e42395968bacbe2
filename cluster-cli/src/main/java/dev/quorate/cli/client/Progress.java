package dev.quorate.cli.client;

import dev.quorate.router.runtime.Ticker;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/** Prints the progress of a long command every two seconds. Thread-safe. */
public final class Progress {

    private static final long PERIOD_NANOS = Duration.ofSeconds(2).toNanos();
    private static final double MEBIBYTE = 1 << 20;

    private final Ticker ticker;
    private final PrintWriter err;
    private final long startedNanos;
    private long shownNanos;
    private long entries;
    private long bytes;

    public Progress(Ticker ticker, PrintWriter err) {
        this.ticker = ticker;
        this.err = err;
        this.startedNanos = ticker.nanos();
        this.shownNanos = startedNanos;
    }

    public synchronized void add(long moreEntries, long moreBytes) {
        entries += moreEntries;
        bytes += moreBytes;
        long now = ticker.nanos();
        if (now - shownNanos >= PERIOD_NANOS) {
            shownNanos = now;
            err.println(text(now));
            err.flush();
        }
    }

    private String text(long now) {
        double seconds = (now - startedNanos) / 1e9;
        double mebibytes = bytes / MEBIBYTE;
        return entries == 0
                ? String.format(Locale.ROOT, "%.1f MiB, %.0f s", mebibytes, seconds)
                : String.format(
                        Locale.ROOT,
                        "%,d entries, %.1f MiB, %.0f s, %,.0f entries/s",
                        entries,
                        mebibytes,
                        seconds,
                        entries / seconds);
    }
}
