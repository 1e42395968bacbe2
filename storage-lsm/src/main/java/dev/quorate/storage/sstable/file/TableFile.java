package dev.quorate.storage.sstable.file;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.io.MappedFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one table's file, and the only place where they are read in bulk and checked.
 *
 * <p>What is checked is first copied to the heap. The obvious way, CRC32C over the mapped memory
 * itself, was dropped: when the disk fails to deliver a page, a copy throws an error that can be
 * caught, but the checksum's machine code dies on the signal and takes the process with it. A copy
 * also stays what it was when it was checked, and is no slower.
 */
public final class TableFile implements AutoCloseable {

    private static final int STEP_BYTES = 16 << 10;

    /** For checking without keeping. Per thread, since it is needed for every second look-up. */
    private static final ThreadLocal<byte[]> STEP =
            ThreadLocal.withInitial(() -> new byte[STEP_BYTES]);

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

    /** Copies a range as it is, unchecked. */
    public byte[] copy(long offset, int length) {
        byte[] copy = new byte[length];
        copy(offset, length, copy, 0);
        return copy;
    }

    public void copy(long offset, int length, byte[] into, int at) {
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, offset, into, at, length);
    }

    /**
     * Copies the piece of the file that lies at {@code offset} and ends with its checksum.
     *
     * @throws CorruptionException if the bytes are not those that were written there
     */
    public void read(long offset, int length, byte[] into) {
        copy(offset, length, into, 0);
        CRC32C checksum = new CRC32C();
        checksum.update(into, 0, length - TableFormat.CHECKSUM_BYTES);
        requireSeal(checksum, offset, length);
    }

    /**
     * Checks a piece without keeping it.
     *
     * @throws CorruptionException if the bytes are not those that were written there
     */
    public void check(long offset, int length) {
        CRC32C checksum = new CRC32C();
        update(checksum, offset, length - TableFormat.CHECKSUM_BYTES);
        requireSeal(checksum, offset, length);
    }

    /**
     * Checks a piece of which the caller has copied the first {@code headBytes} into {@code head},
     * and copies what follows them into {@code into}, or nowhere if it is null.
     *
     * @throws CorruptionException if the bytes are not those that were written there
     */
    public void readBehind(
            byte[] head, int headBytes, byte @Nullable [] into, long offset, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(head, 0, headBytes);
        long at = offset + headBytes;
        if (into != null) {
            copy(at, into.length, into, 0);
            checksum.update(into);
            at += into.length;
        }
        update(checksum, at, (int) (offset + length - TableFormat.CHECKSUM_BYTES - at));
        requireSeal(checksum, offset, length);
    }

    private void update(CRC32C checksum, long offset, int length) {
        byte[] step = STEP.get();
        int done = 0;
        while (done < length) {
            int count = Math.min(STEP_BYTES, length - done);
            copy(offset + done, count, step, 0);
            checksum.update(step, 0, count);
            done += count;
        }
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
}
