package dev.quorate.storage.sstable.file;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.io.MappedFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one table's file: the only class that reads them in bulk and verifies checksums.
 *
 * <p>Bytes are copied to the heap and verified there. CRC32C over the mapped memory was dropped:
 * when the disk fails to read a page, a copy throws an error that can be caught, whereas the signal
 * in the checksum's machine code kills the process. A copy also cannot change after its
 * verification, and is no slower.
 */
public final class TableFile implements AutoCloseable {

    private final MappedFile mapped;
    private final MemorySegment bytes;
    private final Residency residency;
    private final String name;
    private final long tableNumber;

    public TableFile(MappedFile mapped, String name, long tableNumber) {
        this.mapped = mapped;
        this.bytes = mapped.bytes();
        this.residency = new Residency(mapped);
        this.name = name;
        this.tableNumber = tableNumber;
    }

    public String name() {
        return name;
    }

    public MemorySegment bytes() {
        return bytes;
    }

    public long size() {
        return bytes.byteSize();
    }

    public boolean isResident(long offset, long length) {
        return residency.isResident(offset, length);
    }

    public void forgetResidency() {
        residency.forget();
    }

    /** Copies a range without verification. */
    public byte[] copy(long offset, int length) {
        byte[] copy = new byte[length];
        copy(offset, length, copy, 0);
        return copy;
    }

    public void copy(long offset, int length, byte[] into, int at) {
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, offset, into, at, length);
    }

    /**
     * Copies and verifies the section at {@code offset}, which ends with its checksum.
     *
     * @throws CorruptionException if the checksum does not match
     */
    public void read(long offset, int length, byte[] into) {
        copy(offset, length, into, 0);
        CRC32C checksum = new CRC32C();
        checksum.update(into, 0, length - TableFormat.CHECKSUM_BYTES);
        requireSeal(checksum, offset, length);
    }

    /**
     * Verifies a section without returning it.
     *
     * @throws CorruptionException if the checksum does not match
     */
    public void check(long offset, int length) {
        CRC32C checksum = new CRC32C();
        Crc32c.update(checksum, bytes, offset, length - TableFormat.CHECKSUM_BYTES);
        requireSeal(checksum, offset, length);
    }

    /**
     * Verifies a section of which {@code head} already contains the first {@code headBytes}, and
     * copies the bytes after them to {@code into} unless it is null.
     *
     * @throws CorruptionException if the checksum does not match
     */
    public void readAfter(
            byte[] head, int headBytes, byte @Nullable [] into, long offset, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(head, 0, headBytes);
        long at = offset + headBytes;
        if (into != null) {
            copy(at, into.length, into, 0);
            checksum.update(into);
            at += into.length;
        }
        Crc32c.update(checksum, bytes, at, offset + length - TableFormat.CHECKSUM_BYTES - at);
        requireSeal(checksum, offset, length);
    }

    /**
     * Verifies a section, given the checksum of its first bytes.
     *
     * @throws CorruptionException if the checksum does not match
     */
    public void requireSeal(CRC32C ofFirst, int firstBytes, long offset, int length) {
        int rest = length - TableFormat.CHECKSUM_BYTES - firstBytes;
        Crc32c.update(ofFirst, bytes, offset + firstBytes, rest);
        requireSeal(ofFirst, offset, length);
    }

    private void requireSeal(CRC32C checksum, long offset, int length) {
        int computed = TableFormat.seal((int) checksum.getValue(), tableNumber, offset);
        int stored = bytes.get(TableFormat.INT, offset + length - TableFormat.CHECKSUM_BYTES);
        if (computed != stored) {
            throw corrupt(offset, "checksum %08x, computed %08x".formatted(stored, computed));
        }
    }

    public CorruptionException corrupt(long offset, String what) {
        return new CorruptionException(name, offset, what);
    }

    @Override
    public void close() {
        mapped.close();
    }

    /**
     * Caches which parts of a table's file are in memory. The system call costs more than the rest
     * of a look-up (measured: 1.5 microseconds, three times per look-up), so its result is cached
     * for regions of 64 KiB until {@link #forget}.
     *
     * <p>A cached result may be stale, since the kernel evicts pages. A reader then waits for the
     * disk, once for each such page, but its result is correct.
     */
    private static final class Residency {

        private static final int REGION_SHIFT = 16;
        private static final long REGION_BYTES = 1L << REGION_SHIFT;

        private final MappedFile mapped;
        private final long fileBytes;

        /** One bit for each region: set if all of it was in memory. */
        private final AtomicLongArray seen;

        Residency(MappedFile mapped) {
            this.mapped = mapped;
            this.fileBytes = mapped.bytes().byteSize();
            int regions = Math.toIntExact((fileBytes + REGION_BYTES - 1) >>> REGION_SHIFT);
            this.seen = new AtomicLongArray((regions + Long.SIZE - 1) / Long.SIZE);
        }

        boolean isResident(long offset, long length) {
            long last = (offset + length - 1) >>> REGION_SHIFT;
            for (long region = offset >>> REGION_SHIFT; region <= last; region++) {
                if (!isRegionResident((int) region)) {
                    return mapped.isResident(offset, length);
                }
            }
            return true;
        }

        private boolean isRegionResident(int region) {
            int word = region / Long.SIZE;
            long bit = 1L << region;
            if ((seen.getOpaque(word) & bit) != 0) {
                return true;
            }
            long from = (long) region << REGION_SHIFT;
            if (!mapped.isResident(from, Math.min(REGION_BYTES, fileBytes - from))) {
                return false;
            }
            seen.getAndUpdate(word, bits -> bits | bit);
            return true;
        }

        void forget() {
            for (int word = 0; word < seen.length(); word++) {
                seen.setOpaque(word, 0);
            }
        }
    }
}
