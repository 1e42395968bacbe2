package dev.quorate.storage.sstable.file;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.Crc32c;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The constants of the sorted-table format, version 1, described in {@code
 * docs/formats/sstable.md}. Every number is big-endian; varints are those of {@code
 * storage.format.Varint}.
 *
 * <pre>
 *   file      data block ...      ascending keys
 *             index part ...      at indexOffset
 *             index root          at rootOffset
 *             filter section ...  at filterOffset; none if keys have no filter bits
 *             summary             at summaryOffset
 *             footer              the last 60 bytes
 *
 *   Each of these sections ends with a checksum u32: CRC-32C of all preceding bytes of it, salted
 *   with the table's number and the section's offset. Blocks (data, index, summary) have a kind u8
 *   before it. Every byte of the file belongs to a section.
 *
 *   data block    entry ...
 *                 restart u32 ...       offset in the block of every 16th entry
 *                 restart count u32
 *                 kind u8               0: not compressed
 *                 checksum u32
 *
 *   or            raw length u32        after decompression: 9 to MAX_SHARED_BLOCK_BYTES
 *                 LZ4 block             of entries, restarts and restart count
 *                 kind u8               1
 *                 checksum u32
 *
 *   entry         shared  varint        bytes of the prefix that the key shares with the
 *                                       previous one, as long as possible; 0 at a restart
 *                 suffix  varint        bytes of the rest of the key, at least 1
 *                 flags   u8            bit 0 tombstone, bit 1 has an expiry, bit 2 has a step,
 *                                       bit 3 has a content type; the rest 0
 *                 from    u8            replicas the writer addressed; 0 if unknown
 *                 hybrid  u64           the timestamp's clock reading
 *                 node    u32           the timestamp's node
 *                 step    u64           the timestamp's step, after hybrid; only with bit 2
 *                 expiry  u64           only with bit 1; not 0
 *                 content type          length u8 and bytes; only with bit 3
 *                 value length varint   only without bit 0
 *                 key suffix
 *                 value                 only without bit 0
 *
 *   index part,   slot count    u32     at least 1
 *   index root    prefix length u32     bytes of the common prefix of all fences but the first
 *                 head ...      u64     for each slot the first 8 bytes of its fence after the
 *                                       prefix, padded with 0; 0 for the first slot
 *                 slot ...              end of its fence in the fence bytes u32, length u32 and
 *                                       offset u64 of the block it points to
 *                 prefix
 *                 fence bytes           the first fence complete, the others without the prefix
 *                 kind u8               0x40
 *                 checksum u32
 *
 *   filter        252 bytes of bits, the first bit the lowest of the first byte
 *   section       checksum u32
 *
 *   summary       the output of TableMetadata.writeTo, expiry mark u64 if kind is 0x81
 *                 kind u8               0x80, or 0x81 with an expiry mark
 *                 checksum u32
 *
 *   footer    0   indexOffset   u64
 *             8   rootOffset    u64
 *            16   filterOffset  u64
 *            24   summaryOffset u64
 *            32   filter hashes u32     bits set for each key
 *            36   format version u32
 *            40   table number  u64
 *            48   magic         u64     "quoratST"
 *            56   checksum      u32
 * </pre>
 */
public final class TableFormat {

    public static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    public static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    public static final VarHandle ARRAY_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    public static final VarHandle ARRAY_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    public static final int VERSION = 1;
    public static final long MAGIC = 0x71756F7261745354L;

    public static final int CHECKSUM_BYTES = Integer.BYTES;
    public static final int TRAILER_BYTES = 1 + CHECKSUM_BYTES;
    public static final byte KIND_DATA = 0;
    public static final byte KIND_DATA_LZ4 = 1;
    public static final byte KIND_INDEX = 0x40;
    public static final byte KIND_SUMMARY = (byte) 0x80;
    public static final byte KIND_SUMMARY_WITH_EXPIRY = (byte) 0x81;

    public static final int RESTART_INTERVAL = 16;

    /** The largest block with more than one entry: the maximum of the option plus a key. */
    public static final int MAX_SHARED_BLOCK_BYTES = 2 << 20;

    public static final int FLAG_TOMBSTONE = 1;
    public static final int FLAG_EXPIRES = 2;
    public static final int FLAG_STEP = 4;
    public static final int FLAG_TYPE = 8;

    /** Flags, from and the timestamp's root, which follow an entry's lengths. */
    public static final int ENTRY_FIXED_BYTES = 2 + Timestamp.ENCODED_BYTES;

    public static final int INDEX_HEADER_BYTES = 2 * Integer.BYTES;
    public static final int SLOT_BYTES = 16;
    public static final int FILTER_SECTION_BYTES = 256;
    public static final int FOOTER_BYTES = 60;
    public static final int MAX_SUMMARY_BYTES = 256 + 2 * Entry.MAX_KEY_BYTES;

    private TableFormat() {}

    /** Eight bytes of a key, starting at {@code from}, as a number; padded with 0. */
    public static long head(byte[] key, int from) {
        if (from + Long.BYTES <= key.length) {
            return (long) ARRAY_LONG.get(key, from);
        }
        long head = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            head = head << Byte.SIZE | (from + i < key.length ? key[from + i] & 0xFF : 0);
        }
        return head;
    }

    /**
     * Ties a checksum to a table and an offset, so that an intact block at the wrong position fails
     * it. The table's number passes through the finalizer of MurmurHash3 before it is combined with
     * the offset: with two salts of the same form, table 1 at offset 2 and table 2 at offset 1
     * would have the same salt.
     */
    public static int seal(int checksum, long tableNumber, long offset) {
        int number = (int) (tableNumber ^ tableNumber >>> 32);
        number = (number ^ number >>> 16) * 0x85EBCA6B;
        number = (number ^ number >>> 13) * 0xC2B2AE35;
        return Crc32c.salted(checksum ^ number ^ number >>> 16, offset);
    }
}
