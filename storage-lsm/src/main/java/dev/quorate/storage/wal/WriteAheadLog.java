package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.io.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of the log that is written. Used by one thread at a time.
 *
 * <p>Invariants: a group is what one fsync makes durable, and nothing of a group is written before
 * the fsync of the group before it has returned. So whatever a crash tears lies in one group, and a
 * record of a later group behind a bad one proves that the bad one was once whole: recovery tells
 * the one from the other by this alone.
 *
 * <p>A failed write leaves the position where it was. The next one overwrites what the failed one
 * left, with the same group number, so that its remains cannot pass for a later group.
 */
public final class WriteAheadLog {

    /** Larger groups gain nothing: the fsync is long amortised. */
    static final int MAX_GROUP_BYTES = 1 << 20;

    private static final byte[] NOTHING = {};

    private final ByteBuffer buffer;
    private @Nullable LogSegment segment;
    private long position;
    private int group;
    private boolean groupOpen;

    public WriteAheadLog(long segmentBytes) {
        buffer = ByteBuffer.allocateDirect((int) Math.min(segmentBytes, MAX_GROUP_BYTES));
    }

    /** Whether there is a segment to write to. */
    public boolean isStarted() {
        return segment != null;
    }

    /** Whether the segment holds no record yet. */
    public boolean isEmpty() {
        return position <= LogFormat.HEADER_BYTES;
    }

    public long segmentNumber() {
        return started().number();
    }

    /** Bytes of record that {@code entry} will take. */
    public static int recordBytes(Entry entry) {
        return LogFormat.recordBytes(entry);
    }

    /** The size of the smallest segment that holds a record of {@code recordBytes}. */
    public static long segmentBytesFor(long recordBytes) {
        return LogFormat.HEADER_BYTES + recordBytes + LogFormat.RECORD_BYTES + LogFormat.SEAL_BYTES;
    }

    /** Whether records of so many bytes still fit, with the mark and the seal behind them. */
    public boolean fits(long recordBytes) {
        LogSegment current = segment;
        return current != null
                && position + recordBytes + LogFormat.RECORD_BYTES + LogFormat.SEAL_BYTES
                        <= current.bytes();
    }

    /** Begins to write to a new segment. The one before must have been sealed. */
    public void start(LogSegment next) {
        if (segment != null) {
            throw new IllegalStateException("segment " + segment.number() + " is not sealed");
        }
        segment = next;
        position = LogFormat.HEADER_BYTES;
        group = 1;
        groupOpen = false;
    }

    /**
     * Writes entries, which must {@link #fits fit}, to the segment's end; not yet durable.
     *
     * @param endsGroup whether {@link #force} follows at once
     */
    public void append(List<PendingWrite> writes, int recordBytes, boolean endsGroup)
            throws IOException {
        LogSegment current = started();
        int last = writes.size() - 1;
        long end = position;
        if (recordBytes > buffer.capacity()) {
            for (int i = 0; i <= last; i++) {
                int flags = endsGroup && i == last ? LogFormat.LAST_IN_GROUP : 0;
                end = writeLarge(current, end, writes.get(i).entry(), flags);
            }
        } else {
            buffer.clear();
            for (int i = 0; i <= last; i++) {
                int flags = endsGroup && i == last ? LogFormat.LAST_IN_GROUP : 0;
                Entry entry = writes.get(i).entry();
                LogFormat.putEntry(buffer, position, current.mark(), group, flags, entry);
            }
            current.file().write(buffer.flip(), position);
            end += recordBytes;
        }
        // All of it was written. Had it moved before, the next record would lie behind a gap.
        position = end;
        groupOpen = !endsGroup;
    }

    /**
     * A record of a group that is longer than the buffer goes through it in parts: a large value is
     * not copied whole. Its group may have other records where a segment is longer than that.
     *
     * @return where the record ends
     */
    private long writeLarge(LogSegment current, long start, Entry entry, int flags)
            throws IOException {
        buffer.clear();
        LogFormat.putEntryHead(buffer, start, current.mark(), group, flags, entry);
        byte[] value = entry.isTombstone() ? NOTHING : entry.value();
        long end = start;
        int taken = 0;
        do {
            int part = Math.min(value.length - taken, buffer.remaining());
            buffer.put(value, taken, part);
            taken += part;
            int bytes = buffer.flip().remaining();
            current.file().write(buffer, end);
            end += bytes;
            buffer.clear();
        } while (taken < value.length);
        return end;
    }

    /** Whether something was written that {@link #force} has not made durable. */
    public boolean hasOpenGroup() {
        return groupOpen;
    }

    /** Makes all that was appended durable. After a failure this log must not be used again. */
    public void force() throws IOException {
        LogSegment current = started();
        if (groupOpen) {
            markGroupEnd(current);
        }
        forceFile(current);
        if (!groupOpen) {
            group++;
        }
    }

    private void markGroupEnd(LogSegment current) throws IOException {
        buffer.clear();
        LogFormat.putMark(buffer, position, current.mark(), group);
        try {
            current.file().write(buffer.flip(), position);
        } catch (DiskFullException e) {
            // What was acknowledged must be forced all the same. The group just goes on.
            return;
        }
        position += LogFormat.RECORD_BYTES;
        groupOpen = false;
    }

    /** A full disk can be waited out before a write, but not after a failed fsync. */
    private static void forceFile(LogSegment current) throws IOException {
        try {
            current.file().force();
        } catch (DiskFullException e) {
            throw new IOException("fsync found no space", e);
        }
    }

    /**
     * Ends the segment: nothing will ever be written to it again.
     *
     * @param next the segment that follows; 0 if the log ends here, cleanly
     */
    public void seal(long next) throws IOException {
        LogSegment current = started();
        if (groupOpen) {
            force();
        }
        buffer.clear();
        LogFormat.putSeal(buffer, position, current.mark(), group, next);
        current.file().write(buffer.flip(), position);
        forceFile(current);
        close();
    }

    /** Lets go of the segment as it is. */
    public void close() throws IOException {
        LogSegment current = segment;
        segment = null;
        if (current != null) {
            current.file().close();
        }
    }

    private LogSegment started() {
        if (segment == null) {
            throw new IllegalStateException("the log has no segment");
        }
        return segment;
    }
}
