package dev.quorate.storage.format;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksum of every format: CRC-32C (Castagnoli), which processors compute in hardware.
 *
 * <p>A checksum may be salted with the position of its bytes, so that intact bytes at the wrong
 * position (a misdirected write, a stale record in a recycled file) fail it.
 */
public final class Crc32c {

    /** Odd, so that multiplication by it maps 32-bit numbers one to one. */
    private static final int SPREAD = 0x9E3779B1;

    private static final int STEP_BYTES = 16 << 10;

    /** A buffer per thread, since every second look-up needs one. */
    private static final ThreadLocal<byte[]> STEP =
            ThreadLocal.withInitial(() -> new byte[STEP_BYTES]);

    private Crc32c() {}

    /**
     * The checksum of {@code bytes} from index {@code from} to {@code to}; leaves its position
     * unchanged.
     */
    public static int of(ByteBuffer bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        int position = bytes.position();
        int limit = bytes.limit();
        // Avoids a slice, which would be garbage for each record of the log.
        crc.update(bytes.limit(to).position(from));
        bytes.limit(limit).position(position);
        return (int) crc.getValue();
    }

    public static int of(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }

    /**
     * The checksum of a part of a mapped file. Copies it to the heap first: when the disk fails to
     * read a page, the copy throws an error that can be caught, whereas the signal in the
     * checksum's machine code would kill the process.
     */
    public static int of(MemorySegment bytes, long offset, long length) {
        CRC32C crc = new CRC32C();
        update(crc, bytes, offset, length);
        return (int) crc.getValue();
    }

    /** Adds a part of a mapped file to a checksum; copies it first, as {@link #of} does. */
    public static void update(CRC32C crc, MemorySegment bytes, long offset, long length) {
        byte[] step = STEP.get();
        for (long done = 0; done < length; done += STEP_BYTES) {
            int count = (int) Math.min(STEP_BYTES, length - done);
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, offset + done, step, 0, count);
            crc.update(step, 0, count);
        }
    }

    /**
     * Ties a checksum to a position. Any two positions below 4 GiB have different salts: the spread
     * is a bijection of 32 bits. Costs one multiplication, where including the position in the
     * checksum would cost another pass. The same call removes the salt.
     */
    public static int salted(int checksum, long place) {
        int folded = (int) (place ^ place >>> 32);
        return checksum ^ (folded + 1) * SPREAD;
    }
}
