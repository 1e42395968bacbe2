package dev.quorate.storage.sstable.file;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * LZ4 in its block format: the only user of the library.
 *
 * <p>The library's pure Java form is used, which checks every index. The native one is some times
 * faster, but a block that is not what it claims would end the process there, and the one over
 * Unsafe is about to lose its ground in the JDK.
 */
public final class Lz4 {

    private static final LZ4Factory FACTORY = LZ4Factory.safeInstance();
    private static final LZ4Compressor COMPRESSOR = FACTORY.fastCompressor();
    private static final LZ4SafeDecompressor DECOMPRESSOR = FACTORY.safeDecompressor();

    private Lz4() {}

    /** The most bytes that {@link #compress} writes for so many. */
    public static int maxCompressedBytes(int rawBytes) {
        return COMPRESSOR.maxCompressedLength(rawBytes);
    }

    /** Compresses the first {@code rawBytes}. Returns how many bytes were written. */
    public static int compress(byte[] raw, int rawBytes, byte[] into) {
        return COMPRESSOR.compress(raw, 0, rawBytes, into, 0, into.length);
    }

    /**
     * Expands into the first {@code rawBytes} of {@code into}.
     *
     * @return false if the bytes are not the compressed form of exactly so many
     */
    public static boolean expand(byte[] stored, int from, int length, byte[] into, int rawBytes) {
        try {
            return DECOMPRESSOR.decompress(stored, from, length, into, 0, rawBytes) == rawBytes;
        } catch (LZ4Exception malformed) {
            return false;
        }
    }
}
