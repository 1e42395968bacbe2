package dev.quorate.loadtest.pressure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.quorate.loadtest.StubServer;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RangesTest {

    /** A little more than what a reader that stops has read by then. */
    private static final int RANGE_BYTES = (1 << 20) + 5_000;

    private final List<String> told = new ArrayList<>();
    private StubServer server;
    private Ranges ranges;

    @BeforeEach
    void start() throws IOException {
        server = new StubServer(StubServer.GOOD);
        server.range(RANGE_BYTES, false);
        ranges = new Ranges(List.of(server.address()), told::add, Duration.ofMinutes(1));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** The node says that so many ranges are open, once, and then that one fewer is, to none. */
    private void open(int scans) {
        AtomicInteger open = new AtomicInteger(scans);
        server.count(
                () ->
                        "quorate_scans_open %d\njvm_memory_used_bytes{area=\"heap\"} %d\n"
                                .formatted(open.getAndUpdate(n -> Math.max(0, n - 1)), 50 << 20));
    }

    @Test
    void whatWasPutIsReadToItsEnd() throws IOException {
        ranges.fill(1);
        assertThat(server.putsByKey()).hasSize(64).containsOnly(1);
        assertThat(server.bodyLengths()).containsExactly(16 << 10);
        ranges.readAll();
        assertThat(told)
                .containsExactly("filled: 64 values", told.getLast())
                .last()
                .asString()
                .startsWith("read to its end: 1 MiB in ")
                .contains("no range open after ");
    }

    @Test
    void aRangeThatLacksSomethingHasNoFigure() throws IOException {
        ranges.fill(1);
        server.range(RANGE_BYTES / 2, false);
        assertThatIOException()
                .isThrownBy(ranges::readAll)
                .withMessageContaining("1048576 bytes were put, and the range has only 5");
        server.range(RANGE_BYTES, true);
        assertThatExceptionOfType(EOFException.class)
                .isThrownBy(ranges::readAll)
                .withMessageContaining("cut off");
        assertThat(told).hasSize(1);
    }

    @Test
    void readersThatStopAndThatDieAreWaitedFor() throws IOException {
        open(20);
        ranges.leaveLying(3);
        assertThat(told.getFirst())
                .startsWith("beside 3 readers that stop: another has its first MiB after ")
                .endsWith(" ms, 0 times refused");
        assertThat(told.getLast())
                .startsWith("3 readers that stop: 3 MiB in ")
                .contains("heap 50 MiB, no range open after ");
        open(20);
        ranges.breakOff(2);
        assertThat(told.getLast())
                .startsWith("2 readers that die: 2 MiB in ")
                .contains("no range open after ");
    }

    @Test
    void refusedReadersAreCountedAndRetried() throws IOException {
        server.refuseRanges(3);
        ranges.crowd(2);
        assertThat(told.getFirst()).endsWith(" ms, 1 times refused");
        assertThat(told.getLast())
                .startsWith("2 readers that read nothing: 503 to 2")
                .contains(", no answer to 0, heap ");
        server.refuseRanges(1);
        assertThatIOException()
                .isThrownBy(() -> ranges.leaveLying(1))
                .withMessage("only 0 of 1 ranges are served.");
    }

    @Test
    void anOpenRangeIsReported() throws IOException {
        open(Integer.MAX_VALUE);
        new Ranges(List.of(server.address()), told::add, Duration.ofMillis(1)).breakOff(1);
        assertThat(told.getLast()).endsWith("a range still open at the end");
    }
}
