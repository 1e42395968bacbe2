package dev.quorate.storage.format;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksum of every format: CRC-32C (Castagnoli), which processors compute in hardware.
 *
 * <p>A checksum may be salted with the place its bytes belong to, so that bytes that are whole but
 * lie where they do not belong (a misdirected write, a stale record in a recycled file) fail it.
 */
public final class Crc32c {

    /** Odd, so that multiplication by it maps 32-bit numbers one to one. */
    private static final int SPREAD = 0x9E3779B1;

    private static final int STEP_BYTES = 16 << 10;

    private Crc32c() {}

    /** The checksum of {@code bytes} from index {@code from} to {@code to}; its position stays. */
    public static int of(ByteBuffer bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        int position = bytes.position();
        int limit = bytes.limit();
        // Not of a slice: one for each record of the log would be garbage.
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
     * The checksum of a part of a mapped file. It goes through the heap: when the disk fails to
     * deliver a page, a copy throws an error that can be caught, but the checksum's machine code
     * dies on the signal and takes the process with it.
     */
    public static int of(MemorySegment bytes, long offset, long length) {
        CRC32C crc = new CRC32C();
        byte[] step = new byte[(int) Math.min(length, STEP_BYTES)];
        for (long done = 0; done < length; done += step.length) {
            int count = (int) Math.min(step.length, length - done);
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, offset + done, step, 0, count);
            crc.update(step, 0, count);
        }
        return (int) crc.getValue();
    }

    /**
     * Ties a checksum to a place. Two places below 4 GiB never salt alike: the spread is a
     * bijection of 32 bits. Salting with it rather than feeding the place to the checksum costs one
     * multiplication instead of another pass. The same call takes the salt off again.
     */
    public static int salted(int checksum, long place) {
        int folded = (int) (place ^ place >>> 32);
        return checksum ^ (folded + 1) * SPREAD;
    }
}
