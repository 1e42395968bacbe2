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
 * <pre>
 * segment:  header (512 bytes) | record | record | ... | whatever the file held before
 *
 * header:   0  magic     u64   "QRTELOG\n"
 *           8  version   u32   1
 *          12  segment   u64   the segment's number, as in its name
 *          20  checksum  u32   CRC-32C of bytes 0 to 19
 *          24  zeros           checked, since nothing else is over them
 *
 * record:   0  checksum  u32   CRC-32C of all that follows, salted with the record's file offset
 *           4  length    u32   of the payload
 *           8  segment   u64   the segment's number
 *          16  group     u32   counts the fsyncs of the segment, from 1
 *          20  flags     u8    1 LAST_IN_GROUP, 2 SEAL
 *          21  payload         an entry ({@link EntryCodec}); nothing; or, with SEAL, the number u64
 *                              of the segment that follows, 0 if none does
 * </pre>
 */
final class LogFormat {

    static final int HEADER_BYTES = 512;
    static final int RECORD_BYTES = 21;

    /** Room that every segment keeps for its seal. */
    static final int SEAL_BYTES = RECORD_BYTES + Long.BYTES;

    static final int VERSION = 1;
    static final int LAST_IN_GROUP = 1;
    static final int SEAL = 2;

    private static final long MAGIC = 0x515254454C4F470AL;
    private static final int CHECKED_HEADER_BYTES = 20;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private LogFormat() {}

    /** A record as read: where its payload lies, and what its header says. */
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

    static ByteBuffer header(long segment) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        header.putLong(MAGIC).putInt(VERSION).putLong(segment);
        header.putInt(Crc32c.of(header, 0, CHECKED_HEADER_BYTES));
        return header.clear();
    }

    /**
     * Checks a segment's header.
     *
     * @throws CorruptionException if it is not the header of {@code segment}
     * @throws StorageException.Io if another version of this program wrote it
     */
    static void checkHeader(MemorySegment file, String name, long segment) {
        if (file.byteSize() < HEADER_BYTES) {
            throw new CorruptionException(
                    name,
                    0,
                    "header of " + HEADER_BYTES + " bytes expected, file has " + file.byteSize());
        }
        int expected = file.get(INT, CHECKED_HEADER_BYTES);
        int actual = Crc32c.of(file, 0, CHECKED_HEADER_BYTES);
        if (file.get(LONG, 0) != MAGIC || expected != actual) {
            throw new CorruptionException(name, 0, "not the header of a log segment");
        }
        int version = file.get(INT, 8);
        if (version != VERSION) {
            throw new StorageException.Io(
                    name + " has log format " + version + ", this program reads " + VERSION, null);
        }
        if (file.get(LONG, 12) != segment) {
            throw new CorruptionException(
                    name, 12, "segment " + segment + " expected, found " + file.get(LONG, 12));
        }
        for (int at = CHECKED_HEADER_BYTES + Integer.BYTES; at < HEADER_BYTES; at++) {
            if (file.get(ValueLayout.JAVA_BYTE, at) != 0) {
                throw new CorruptionException(name, at, "not zero, as headers are there");
            }
        }
    }

    static int recordBytes(Entry entry) {
        return RECORD_BYTES + EntryCodec.encodedSize(entry);
    }

    /**
     * Appends a record that holds an entry.
     *
     * @param start file offset of the first byte of {@code to}
     */
    static void putEntry(
            ByteBuffer to, long start, long segment, int group, int flags, Entry entry) {
        int at = begin(to, EntryCodec.encodedSize(entry), segment, group, flags);
        EntryCodec.encode(entry, to);
        finish(to, at, start);
    }

    /** As {@link #putEntry}, but for the value's bytes, which have to follow in the file. */
    static void putEntryHead(
            ByteBuffer to, long start, long segment, int group, int flags, Entry entry) {
        int at = begin(to, EntryCodec.encodedSize(entry), segment, group, flags);
        EntryCodec.encodeHead(entry, to);
        CRC32C checksum = new CRC32C();
        checksum.update(to.slice(at + Integer.BYTES, to.position() - at - Integer.BYTES));
        if (!entry.isTombstone()) {
            checksum.update(entry.value());
        }
        to.putInt(at, Crc32c.salted((int) checksum.getValue(), start + at));
    }

    /** Appends a record without an entry, which ends a group that was written in several parts. */
    static void putMark(ByteBuffer to, long start, long segment, int group) {
        finish(to, begin(to, 0, segment, group, LAST_IN_GROUP), start);
    }

    static void putSeal(ByteBuffer to, long start, long segment, int group, long next) {
        int at = begin(to, Long.BYTES, segment, group, SEAL | LAST_IN_GROUP);
        to.putLong(next);
        finish(to, at, start);
    }

    private static int begin(ByteBuffer to, int length, long segment, int group, int flags) {
        int at = to.position();
        to.putInt(0).putInt(length).putLong(segment).putInt(group).put((byte) flags);
        return at;
    }

    private static void finish(ByteBuffer to, int at, long start) {
        int checksum = Crc32c.of(to, at + Integer.BYTES, to.position());
        to.putInt(at, Crc32c.salted(checksum, start + at));
    }

    /** Whether a record of {@code segment} may begin at {@code offset}: cheap, and often wrong. */
    static boolean looksLikeRecord(MemorySegment file, long offset, long segment) {
        return offset + RECORD_BYTES <= file.byteSize() && file.get(LONG, offset + 8) == segment;
    }

    /** The length that a record at {@code offset} claims, unchecked. */
    static long claimedLength(MemorySegment file, long offset) {
        return Integer.toUnsignedLong(file.get(INT, offset + 4));
    }

    /** The record at {@code offset}, or null if no whole record of {@code segment} lies there. */
    static @Nullable Header readRecord(MemorySegment file, long offset, long segment) {
        if (!looksLikeRecord(file, offset, segment)) {
            return null;
        }
        long length = claimedLength(file, offset);
        if (length > file.byteSize() - offset - RECORD_BYTES || length > Integer.MAX_VALUE - 64) {
            return null;
        }
        int checked = RECORD_BYTES - Integer.BYTES + (int) length;
        int checksum = Crc32c.of(file, offset + Integer.BYTES, checked);
        if (file.get(INT, offset) != Crc32c.salted(checksum, offset)) {
            return null;
        }
        int flags = file.get(ValueLayout.JAVA_BYTE, offset + 20);
        return new Header(offset, (int) length, file.get(INT, offset + 16), flags);
    }

    static ByteBuffer payload(MemorySegment file, Header record) {
        return file.asSlice(record.offset() + RECORD_BYTES, record.length()).asByteBuffer();
    }
}
