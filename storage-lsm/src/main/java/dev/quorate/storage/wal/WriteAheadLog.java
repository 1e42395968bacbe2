package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.io.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the current segment of the log. Used by one thread at a time.
 *
 * <p>Invariants: a group is the unit of one fsync, and nothing of a group is written before the
 * fsync of the previous group has returned. So a crash tears at most one group, and a record of a
 * later group after a bad one proves that the bad one was intact: recovery distinguishes torn
 * writes from damage by this alone.
 *
 * <p>A failed write does not advance the position. The next one overwrites the remains, with the
 * same group number, so that they cannot pass for a later group.
 */
public final class WriteAheadLog {

    /** Larger groups gain nothing: the cost of the fsync is already amortised. */
    static final int MAX_GROUP_BYTES = 1 << 20;

    private static final byte[] NOTHING = {};

    private final ByteBuffer buffer;
    private @Nullable LogSegment segment;
    private long position;
    private int group;
    private boolean groupOpen;

    /** Whether everything appended is durable. */
    private boolean isForced;

    public WriteAheadLog(long segmentBytes) {
        buffer = ByteBuffer.allocateDirect((int) Math.min(segmentBytes, MAX_GROUP_BYTES));
    }

    public boolean isStarted() {
        return segment != null;
    }

    /** Whether the segment contains no record yet. */
    public boolean isEmpty() {
        return position <= LogFormat.HEADER_BYTES;
    }

    /** Whether the next segment should begin before a record of {@code recordBytes}. */
    boolean isFullFor(long recordBytes) {
        LogSegment current = started();
        return position + recordBytes > current.limit(current.bytes());
    }

    public long segmentNumber() {
        return started().number();
    }

    public static int recordBytes(Entry entry) {
        return LogFormat.recordBytes(entry);
    }

    /** The size of the smallest segment for a record of {@code recordBytes}. */
    public static long segmentBytesFor(long recordBytes) {
        return LogFormat.HEADER_BYTES + recordBytes + LogFormat.RECORD_BYTES + LogFormat.SEAL_BYTES;
    }

    /** Whether records of {@code recordBytes} still fit, followed by a mark and a seal. */
    public boolean fits(long recordBytes) {
        LogSegment current = segment;
        return current != null
                && position + recordBytes + LogFormat.RECORD_BYTES + LogFormat.SEAL_BYTES
                        <= current.bytes();
    }

    /** Starts a new segment. The previous one must be sealed. */
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
     * Appends entries, which must {@link #fits fit}. They are durable after {@link #force}.
     *
     * @param endsGroup whether {@link #force} follows immediately
     */
    public void append(List<PendingWrite> writes, int recordBytes, boolean endsGroup)
            throws IOException {
        LogSegment current = started();
        isForced = false;
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
            buffer.flip();
            if (endsGroup) {
                isForced = current.file().writeDurably(buffer, position);
            } else {
                current.file().write(buffer, position);
            }
            end += recordBytes;
        }
        // Advance only after all writes succeeded, or the next record would follow a gap.
        position = end;
        groupOpen = !endsGroup;
    }

    /**
     * Writes a record larger than the buffer in parts, so that a large value is not copied as a
     * whole.
     *
     * @return the end of the record
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

    /** Whether the current group has records that are not yet forced. */
    public boolean hasOpenGroup() {
        return groupOpen;
    }

    /** Makes all appended records durable. After a failure this log must not be used again. */
    public void force() throws IOException {
        LogSegment current = started();
        if (groupOpen) {
            isForced = false;
            markGroupEnd(current);
        }
        if (!isForced) {
            forceFile(current);
        }
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
            // Acknowledged records must be forced nevertheless. The group remains open.
            return;
        }
        position += LogFormat.RECORD_BYTES;
        groupOpen = false;
    }

    /** A write can be retried when the disk is full, but a failed fsync cannot. */
    private static void forceFile(LogSegment current) throws IOException {
        try {
            current.file().force();
        } catch (DiskFullException e) {
            throw new IOException("fsync found no space", e);
        }
    }

    /**
     * Seals and closes the segment.
     *
     * @param next the next segment; 0 if the log ends here
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

    /** Closes the segment without a seal. */
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
