package dev.quorate.storage.sstable.file;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * The LZ4 block format.
 *
 * <p>Uses the library's pure Java implementation, which checks every index. The native one is
 * several times faster, but a malformed block could crash the process; the one using Unsafe depends
 * on methods that the JDK is removing.
 */
public final class Lz4 {

    private static final LZ4Factory FACTORY = LZ4Factory.safeInstance();
    private static final LZ4Compressor COMPRESSOR = FACTORY.fastCompressor();
    private static final LZ4SafeDecompressor DECOMPRESSOR = FACTORY.safeDecompressor();

    private Lz4() {}

    /** Maximum bytes that {@link #compress} writes for {@code rawBytes}. */
    public static int maxCompressedBytes(int rawBytes) {
        return COMPRESSOR.maxCompressedLength(rawBytes);
    }

    /** Compresses the first {@code rawBytes}; returns the number of bytes written. */
    public static int compress(byte[] raw, int rawBytes, byte[] into) {
        return COMPRESSOR.compress(raw, 0, rawBytes, into, 0, into.length);
    }

    /**
     * Decompresses into the first {@code rawBytes} of {@code into}.
     *
     * @return false if the input is malformed or has another decompressed size
     */
    public static boolean expand(byte[] stored, int from, int length, byte[] into, int rawBytes) {
        try {
            return DECOMPRESSOR.decompress(stored, from, length, into, 0, rawBytes) == rawBytes;
        } catch (LZ4Exception malformed) {
            return false;
        }
    }
}
