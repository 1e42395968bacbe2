package dev.quorate.loadtest.late;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Span;
import java.io.Reader;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeEventsTest {

    private final NodeEvents events = new NodeEvents("n2", Duration.ofMillis(2));

    private static Span millis(double from, double to) {
        return new Span((long) (from * 1e6), (long) (to * 1e6));
    }

    private static Happening at(Cause cause, double from, double to) {
        return new Happening(cause, millis(from, to), "n2");
    }

    @Test
    void aSafepointInWhichTheCollectorPausesIsItsPauseFromWhenThreadsAreStopped() {
        events.stoodStill(7, millis(10, 11));
        events.stoodStill(7, millis(11, 16));
        events.paused(millis(12, 15));
        assertThat(events.happenings())
                .containsExactly(at(Cause.COLLECTOR, 12, 15), at(Cause.COLLECTOR, 10, 16));
    }

    @Test
    void aSafepointOfItsOwnIsNone() {
        events.stoodStill(7, millis(10, 11));
        events.stoodStill(8, millis(30, 31));
        events.paused(millis(30.5, 30.6));
        assertThat(events.happenings())
                .contains(at(Cause.SAFEPOINT, 10, 11), at(Cause.COLLECTOR, 30, 31));
    }

    @Test
    void aTableIsWrittenFromItsFirstWriteToItsFsync() {
        events.wrote("/d/01.sst", millis(10, 11));
        events.wrote("/d/02.sst", millis(12, 13));
        events.wrote("/d/01.log", millis(12, 90));
        events.wrote("/d/01.sst", millis(40, 41));
        events.forced("/d/01.sst", millis(41, 42));
        assertThat(events.happenings())
                .containsExactlyInAnyOrder(at(Cause.TABLE, 10, 42), at(Cause.TABLE, 12, 13));
    }

    @Test
    void onlyAnFsyncOfAtLeastTheShortestTimeIsSlow() {
        events.forced("/d/01.log", millis(10, 11.9));
        events.forced("/d/01.log", millis(20, 22));
        assertThat(events.happenings()).containsExactly(at(Cause.FSYNC, 20, 22));
    }

    @Test
    void compilationsThatFollowEachOtherAreOneBurstAndShortOnesAreNone() {
        events.compiled(millis(13, 13.5));
        events.compiled(millis(10, 11));
        events.compiled(millis(10.5, 12));
        events.compiled(millis(20, 21));
        events.compiled(millis(23, 23.5));
        assertThat(events.happenings()).containsExactly(at(Cause.COMPILER, 10, 13.5));
    }

    @Test
    void aRecordingWithTheseSettingsHasWritesAtAPositionFsyncsAndPauses(@TempDir Path folder)
            throws Exception {
        Path table = folder.resolve("0000000000000001.sst");
        Path file = folder.resolve("recording.jfr");
        NodeEvents everything = new NodeEvents("n1", Duration.ZERO);
        try (Reader settings = new StringReader(NodeEvents.settings());
                Recording recording = new Recording(Configuration.create(settings))) {
            recording.start();
            try (FileChannel channel =
                    FileChannel.open(
                            table, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap("a block".getBytes(UTF_8)), 0);
            }
            System.gc();
            recording.stop();
            recording.dump(file);
        }
        everything.read(file);
        List<Happening> found = everything.happenings();
        assertThat(found).extracting(Happening::cause).contains(Cause.TABLE, Cause.COLLECTOR);
        assertThat(found).extracting(Happening::place).containsOnly("n1");
    }
}
