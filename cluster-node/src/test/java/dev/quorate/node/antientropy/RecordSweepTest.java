package dev.quorate.node.antientropy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.RecordNote;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every key of which something was accepted is looked at once. */
class RecordSweepTest {

    private static final byte PROMISE = 1;
    private static final byte LAST = 7;
    private static final int KEYS = 1_000;

    private final ManualTime time = new ManualTime();
    private final Executor soon = task -> time.after(Duration.ZERO, task);
    private final MemoryStore records = new MemoryStore();
    private final List<Integer> noted = new ArrayList<>();
    private final List<Integer> decided = new ArrayList<>();
    private final List<Boolean> done = new ArrayList<>();

    /** What the replica answers; null throws. */
    private @Nullable RecordNote note = RecordNote.DECIDED;

    private final RecordSweep sweep =
            new RecordSweep(
                    records,
                    this::note,
                    (key, from) -> decided.add(number(key)),
                    new NodeRuntime(time, time, new Random(1), soon));

    private void note(byte[] key, int from, Consumer<RecordNote> whenNoted) {
        noted.add(number(key));
        assertThat(from).isEqualTo(3);
        if (note == null) {
            throw new IllegalStateException("planted");
        }
        whenNoted.accept(note);
    }

    private static int number(byte[] key) {
        return ByteBuffer.wrap(key).getInt();
    }

    private void record(int number, byte kind) {
        byte[] key = ByteBuffer.allocate(7).putShort((short) 4).putInt(number).put(kind).array();
        records.put(
                Entry.expiring(
                        key, Timestamp.of(time.wallMillis(), 0, 1), key, 3, time.wallMillis()));
    }

    private void sweep() {
        sweep.begin(done::add);
        time.advanceMillis(1_000);
    }

    @Test
    void eachKeyIsNotedOnce() {
        for (int i = 0; i < KEYS; i++) {
            record(i, PROMISE);
            record(i, LAST);
        }
        record(KEYS, PROMISE);
        sweep();
        assertThat(done).containsExactly(true);
        assertThat(noted).hasSize(KEYS).isSorted().doesNotHaveDuplicates();
        assertThat(decided).isEmpty();
    }

    @Test
    void oneThatCannotBeNotedFailsTheSweep() {
        record(1, LAST);
        note = RecordNote.FAILED;
        sweep();
        assertThat(done).containsExactly(false);
        note = RecordNote.DECIDED;
        sweep();
        assertThat(done).containsExactly(false, true);
    }

    /** A watermark waits for the end of the sweep. */
    @Test
    void aBugInTheReplicaFailsTheSweepAndDoesNotStopIt() {
        record(1, LAST);
        note = null;
        sweep();
        assertThat(done).containsExactly(false);
    }

    /** A younger one may be under way. */
    @Test
    void whatIsUndecidedForAMinuteIsDecided() {
        note = RecordNote.UNDECIDED;
        record(1, LAST);
        time.advanceMillis(50_000);
        record(2, LAST);
        sweep();
        assertThat(decided).isEmpty();
        time.advanceMillis(10_000);
        sweep();
        assertThat(decided).containsExactly(1);
        assertThat(done).containsExactly(true, true);
    }

    @Test
    void nothingIsNotedAfterTheClose() {
        record(1, LAST);
        sweep.close();
        sweep();
        assertThat(noted).isEmpty();
        assertThat(done).isEmpty();
    }
}
