package dev.quorate.router.runtime;

/**
 * The heap that a large array occupies. G1 gives an array of half a region or more whole regions of
 * its own: with a heap of 128 MiB and regions of 1 MiB, an array of 1 MiB takes two.
 */
public final class HeapFootprint {

    private static final long MIB = 1 << 20;
    private static final long REGIONS = 2048;
    private static final long MAX_REGION_BYTES = 32 * MIB;
    private static final long ARRAY_HEAD_BYTES = 16;
    private static final long REGION_BYTES = regionBytes(Runtime.getRuntime().maxMemory());

    private HeapFootprint() {}

    /** G1's default region size for a heap of this size. */
    static long regionBytes(long heapBytes) {
        long wanted = Long.highestOneBit(Math.max(heapBytes / REGIONS, 1));
        return Math.clamp(wanted, MIB, MAX_REGION_BYTES);
    }

    /** The heap that an array of this many bytes occupies. */
    public static long ofArray(long bytes) {
        return ofArray(bytes, REGION_BYTES);
    }

    static long ofArray(long bytes, long regionBytes) {
        long whole = bytes + ARRAY_HEAD_BYTES;
        if (whole < regionBytes / 2) {
            return bytes;
        }
        return (whole + regionBytes - 1) / regionBytes * regionBytes;
    }
}
