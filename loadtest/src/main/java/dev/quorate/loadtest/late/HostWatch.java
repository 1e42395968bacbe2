package dev.quorate.loadtest.late;

import dev.quorate.loadtest.load.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Looks for stolen processor time while a load runs. Finds nothing where the system tells none. */
final class HostWatch implements AutoCloseable {

    private static final Path PROC_STAT = Path.of("/proc/stat");
    private static final int PERIOD_MILLIS = 20;

    private final StolenTime stolen = new StolenTime();
    private final ScheduledExecutorService executor =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("host-watch").daemon().factory());

    private HostWatch() {}

    @SuppressWarnings("FutureReturnValueIgnored") // It fails nowhere, and ends with the executor.
    static HostWatch start() {
        HostWatch watch = new HostWatch();
        if (Files.isReadable(PROC_STAT)) {
            watch.executor.scheduleAtFixedRate(
                    watch::look, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        }
        return watch;
    }

    private void look() {
        try {
            String text = Files.readString(PROC_STAT);
            stolen.take(nanos(Instant.now()), text);
        } catch (IOException e) {
            // Then this one is left out.
        }
    }

    static long nanos(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }

    List<Span> stolen() {
        return stolen.spans();
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
