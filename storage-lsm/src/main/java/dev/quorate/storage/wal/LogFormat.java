package dev.quorate.storage.wal;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.format.EntryCodec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a log segment. Numbers are big-endian.
 *
 * <p>A segment's file is recycled, and contains bytes chosen by clients. The mark distinguishes the
 * segment's current records from stale ones and from values: it is random and never leaves the
 * node, so no value can contain it. Version 1 had no mark but the segment's number in its place.
 *
 * <pre>
 * segment:  header (512 bytes) | record | record | ... | stale bytes
 *
 * header:   0  magic     u64   "QRTELOG\n"
 *           8  version   u32   2
 *          12  segment   u64   the segment's number, as in its name
 *          20  mark      u64   drawn at random when the segment was made
 *          28  checksum  u32   CRC-32C of bytes 0 to 27
 *          32  zeros           verified, since no checksum covers them
 *
 * record:   0  checksum  u32   CRC-32C of all that follows, salted with the record's file offset
 *           4  length    u32   of the payload
 *           8  mark      u64   the segment's
 *          16  group     u32   counts the fsyncs of the segment, from 1
 *          20  flags     u8    1 LAST_IN_GROUP, 2 SEAL
 *          21  payload         an entry ({@link EntryCodec}); nothing; or, with SEAL, the number u64
 *                              of the segment that follows, 0 if none does
 * </pre>
 */
final class LogFormat {

    static final int HEADER_BYTES = 512;
    static final int RECORD_BYTES = 21;

    /** Space reserved in every segment for its seal. */
    static final int SEAL_BYTES = RECORD_BYTES + Long.BYTES;

    static final int VERSION = 2;
    static final int LAST_IN_GROUP = 1;
    static final int SEAL = 2;

    private static final long MAGIC = 0x515254454C4F470AL;
    private static final int VERSION_OFFSET = 8;
    private static final int SEGMENT_OFFSET = 12;
    private static final int MARK_OFFSET = 20;
    private static final int CHECKED_HEADER_BYTES = 28;

    private static final int UNMARKED_VERSION = 1;
    private static final int CHECKED_UNMARKED_HEADER_BYTES = 20;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private LogFormat() {}

    /**
     * The identity of a segment's records.
     *
     * @param mark contained in each record
     * @param secret whether clients cannot know the mark; otherwise a value may imitate records
     */
    record Identity(long mark, boolean secret) {}

    record Header(long offset, int length, int group, int flags) {

        boolean lastInGroup() {
            return (flags & LAST_IN_GROUP) != 0;
        }

        boolean seal() {
            return (flags & SEAL) != 0;
        }

        long end() {
            return offset + RECORD_BYTES + length;
        }
    }

    static ByteBuffer header(long segment, long mark) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        header.putLong(MAGIC).putInt(VERSION).putLong(segment).putLong(mark);
        header.putInt(Crc32c.of(header, 0, CHECKED_HEADER_BYTES));
        return header.clear();
    }

    /**
     * Verifies a segment's header.
     *
     * @throws CorruptionException if it is not the header of {@code segment}
     * @throws StorageException.Io if the format version is unknown
     */
    static Identity checkHeader(MemorySegment file, String name, long segment) {
        if (file.byteSize() < HEADER_BYTES) {
            throw new CorruptionException(
                    name,
                    0,
                    "header of " + HEADER_BYTES + " bytes expected, file has " + file.byteSize());
        }
        int version = file.get(INT, VERSION_OFFSET);
        int checkedBytes =
                version == UNMARKED_VERSION ? CHECKED_UNMARKED_HEADER_BYTES : CHECKED_HEADER_BYTES;
        int checksum = file.get(INT, checkedBytes);
        if (file.get(LONG, 0) != MAGIC || checksum != Crc32c.of(file, 0, checkedBytes)) {
            throw new CorruptionException(name, 0, "not the header of a log segment");
        }
        if (version != VERSION && version != UNMARKED_VERSION) {
            throw new StorageException.Io(
                    "%s has log format %d, this program reads %d and %d"
                            .formatted(name, version, UNMARKED_VERSION, VERSION),
                    null);
        }
        long found = file.get(LONG, SEGMENT_OFFSET);
        if (found != segment) {
            throw new CorruptionException(
                    name, SEGMENT_OFFSET, "segment " + segment + " expected, found " + found);
        }
        for (int at = checkedBytes + Integer.BYTES; at < HEADER_BYTES; at++) {
            if (file.get(ValueLayout.JAVA_BYTE, at) != 0) {
                throw new CorruptionException(name, at, "not zero, as headers are there");
            }
        }
        return version == UNMARKED_VERSION
                ? new Identity(segment, false)
                : new Identity(file.get(LONG, MARK_OFFSET), true);
    }

    static int recordBytes(Entry entry) {
        return RECORD_BYTES + EntryCodec.encodedSize(entry);
    }

    /**
     * Appends a record with an entry.
     *
     * @param start file offset of the first byte of {@code to}
     */
    static void putEntry(ByteBuffer to, long start, long mark, int group, int flags, Entry entry) {
        int at = begin(to, EntryCodec.encodedSize(entry), mark, group, flags);
        EntryCodec.encode(entry, to);
        finish(to, at, start);
    }

    /** Like {@link #putEntry}, but without the value's bytes, which must follow in the file. */
    static void putEntryHead(
            ByteBuffer to, long start, long mark, int group, int flags, Entry entry) {
        int at = begin(to, EntryCodec.encodedSize(entry), mark, group, flags);
        EntryCodec.encodeHead(entry, to);
        CRC32C checksum = new CRC32C();
        checksum.update(to.slice(at + Integer.BYTES, to.position() - at - Integer.BYTES));
        if (!entry.isTombstone()) {
            checksum.update(entry.value());
        }
        to.putInt(at, Crc32c.salted((int) checksum.getValue(), start + at));
    }

    /** Appends a record without an entry, which ends a group written in several parts. */
    static void putMark(ByteBuffer to, long start, long mark, int group) {
        finish(to, begin(to, 0, mark, group, LAST_IN_GROUP), start);
    }

    static void putSeal(ByteBuffer to, long start, long mark, int group, long next) {
        int at = begin(to, Long.BYTES, mark, group, SEAL | LAST_IN_GROUP);
        to.putLong(next);
        finish(to, at, start);
    }

    private static int begin(ByteBuffer to, int length, long mark, int group, int flags) {
        int at = to.position();
        to.putInt(0).putInt(length).putLong(mark).putInt(group).put((byte) flags);
        return at;
    }

    private static void finish(ByteBuffer to, int at, long start) {
        int checksum = Crc32c.of(to, at + Integer.BYTES, to.position());
        to.putInt(at, Crc32c.salted(checksum, start + at));
    }

    /** The unverified header of a record at {@code offset}; null if the record exceeds the file. */
    static @Nullable Header head(MemorySegment file, long offset) {
        if (offset + RECORD_BYTES > file.byteSize()) {
            return null;
        }
        long length = Integer.toUnsignedLong(file.get(INT, offset + 4));
        if (length > file.byteSize() - offset - RECORD_BYTES || length > Integer.MAX_VALUE - 64) {
            return null;
        }
        int flags = file.get(ValueLayout.JAVA_BYTE, offset + 20);
        return new Header(offset, (int) length, file.get(INT, offset + 16), flags);
    }

    /**
     * The identity of a segment with an unreadable header: the mark of an intact record directly
     * after it, or null if none.
     */
    static @Nullable Identity identityOfFirstRecord(MemorySegment file) {
        if (head(file, HEADER_BYTES) == null) {
            return null;
        }
        long mark = file.get(LONG, HEADER_BYTES + 8);
        return readRecord(file, HEADER_BYTES, mark) == null ? null : new Identity(mark, true);
    }

    /** The record at {@code offset}, or null if it is not intact or has another mark. */
    static @Nullable Header readRecord(MemorySegment file, long offset, long mark) {
        Header head = head(file, offset);
        if (head == null || file.get(LONG, offset + 8) != mark) {
            return null;
        }
        int checked = RECORD_BYTES - Integer.BYTES + head.length();
        int checksum = Crc32c.of(file, offset + Integer.BYTES, checked);
        return file.get(INT, offset) == Crc32c.salted(checksum, offset) ? head : null;
    }

    static ByteBuffer payload(MemorySegment file, Header record) {
        return file.asSlice(record.offset() + RECORD_BYTES, record.length()).asByteBuffer();
    }
}
