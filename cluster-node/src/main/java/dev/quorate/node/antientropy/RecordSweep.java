package dev.quorate.node.antientropy;

import dev.quorate.node.membership.TombstoneGc;
import dev.quorate.router.replica.RecordNote;
import dev.quorate.router.replica.RecordStore;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scans the records of conditional writes: notes which accepted values are superseded, before the
 * entries that superseded them may be dropped; and begins to decide undecided values.
 *
 * <p>A noted value is not checked again, so each accepted value costs one check.
 */
public final class RecordSweep implements TombstoneGc.Notes, AutoCloseable {

    /** Number of notes that are in progress at once, and share an fsync. */
    private static final int PAGE = 64;

    /** Number of records that are read before other tasks run. */
    private static final int MAX_READ = 10_000;

    /** A younger value may still be in progress. */
    private static final Duration DECIDED_AFTER = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(RecordSweep.class);

    /** This node's replica. */
    @FunctionalInterface
    public interface Noting {

        /** See {@code LocalReplica.note}. */
        void note(byte[] key, int from, Consumer<RecordNote> whenNoted);
    }

    private final KeyValueStore records;
    private final Noting noting;
    private final ObjIntConsumer<byte[]> deciding;
    private final Ticker ticker;
    private final Executor serial;
    private volatile boolean closed;

    /**
     * @param records the keyspace of these records in this node's store
     * @param deciding begins to decide a value that a minority has accepted for a key; also gets
     *     the number of owners
     */
    public RecordSweep(
            KeyValueStore records,
            Noting noting,
            ObjIntConsumer<byte[]> deciding,
            NodeRuntime runtime) {
        this.records = records;
        this.noting = noting;
        this.deciding = deciding;
        this.ticker = runtime.ticker();
        this.serial = runtime.serial();
    }

    /** A key with an accepted value; {@code accepted} is the timestamp of its record. */
    private record Last(byte[] key, int from, Timestamp accepted) {}

    @Override
    public void begin(Consumer<Boolean> whenDone) {
        serial.execute(() -> page(new byte[0], whenDone));
    }

    /** Reads a page and notes its values, then continues with the next page. */
    private void page(byte[] start, Consumer<Boolean> whenDone) {
        if (closed) {
            return;
        }
        List<Last> found = new ArrayList<>();
        byte[] next;
        try {
            next = read(start, found);
        } catch (RuntimeException e) {
            LOG.warn("Records of conditional writes cannot be read: {}", e.toString());
            whenDone.accept(false);
            return;
        }
        noteAll(
                found,
                noted -> {
                    if (!noted) {
                        LOG.warn(
                                "Not all records of conditional writes could be read and noted;"
                                        + " tombstones are kept");
                    }
                    if (!noted || next == null) {
                        whenDone.accept(noted);
                    } else {
                        serial.execute(() -> page(next, whenDone));
                    }
                });
    }

    /** Adds the keys to {@code found}; returns the start of the next page, or null at the end. */
    private byte @Nullable [] read(byte[] start, List<Last> found) {
        int read = 0;
        try (EntryCursor cursor = records.scan(start, null)) {
            while (cursor.next()) {
                if (read++ == MAX_READ || found.size() == PAGE) {
                    return cursor.key();
                }
                Entry record = cursor.entry();
                byte[] key = RecordStore.keyOfLast(record);
                if (key != null) {
                    found.add(new Last(key, record.from(), record.timestamp()));
                }
            }
        }
        return null;
    }

    private void noteAll(List<Last> found, Consumer<Boolean> whenNoted) {
        AtomicInteger missing = new AtomicInteger(found.size() + 1);
        AtomicBoolean hasFailed = new AtomicBoolean();
        Consumer<RecordNote> count =
                note -> {
                    if (note == RecordNote.FAILED) {
                        hasFailed.set(true);
                    }
                    if (missing.decrementAndGet() == 0) {
                        whenNoted.accept(!hasFailed.get());
                    }
                };
        found.forEach(last -> note(last, count));
        count.accept(RecordNote.DECIDED);
    }

    /** Counts the note even if it fails, because a watermark waits for the count. */
    private void note(Last last, Consumer<RecordNote> count) {
        AtomicBoolean isCounted = new AtomicBoolean();
        Consumer<RecordNote> once =
                note -> {
                    if (isCounted.compareAndSet(false, true)) {
                        count.accept(note);
                    }
                };
        try {
            noting.note(
                    last.key(),
                    last.from(),
                    note -> {
                        once.accept(note);
                        if (note == RecordNote.UNDECIDED && isDue(last)) {
                            deciding.accept(last.key(), last.from());
                        }
                    });
        } catch (RuntimeException e) {
            LOG.warn("A record of conditional writes cannot be noted", e);
            once.accept(RecordNote.FAILED);
        }
    }

    private boolean isDue(Last last) {
        return last.accepted().wallMillis() < ticker.wallMillis() - DECIDED_AFTER.toMillis();
    }

    /** Stops; {@code whenDone} is not run. */
    @Override
    public void close() {
        closed = true;
    }
}
