package dev.quorate.storage.sstable.block;

import dev.quorate.storage.sstable.file.TableFormat;

/**
 * Comparisons of parts of keys, equivalent to {@code Arrays.compareUnsigned} and {@code mismatch},
 * but in plain code, eight bytes at a time: the vector code of {@code Arrays} is slower for short
 * keys, and took twice as long in a measured look-up.
 */
public final class KeyBytes {

    private KeyBytes() {}

    /** Compares {@code a} from {@code aFrom} to {@code aTo} with all of {@code b}. */
    public static int compare(byte[] a, int aFrom, int aTo, byte[] b) {
        int common = Math.min(aTo - aFrom, b.length);
        int i = 0;
        for (; i + Long.BYTES <= common; i += Long.BYTES) {
            long x = (long) TableFormat.ARRAY_LONG.get(a, aFrom + i);
            long y = (long) TableFormat.ARRAY_LONG.get(b, i);
            if (x != y) {
                return Long.compareUnsigned(x, y);
            }
        }
        for (; i < common; i++) {
            int order = Byte.compareUnsigned(a[aFrom + i], b[i]);
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(aTo - aFrom, b.length);
    }

    /**
     * The length of the common prefix of {@code a} from {@code aFrom} and {@code b} from {@code
     * bFrom}.
     */
    public static int common(byte[] a, int aFrom, int aTo, byte[] b, int bFrom) {
        int most = Math.min(aTo - aFrom, b.length - bFrom);
        int i = 0;
        for (; i + Long.BYTES <= most; i += Long.BYTES) {
            long x = (long) TableFormat.ARRAY_LONG.get(a, aFrom + i);
            long y = (long) TableFormat.ARRAY_LONG.get(b, bFrom + i);
            if (x != y) {
                return i + Long.numberOfLeadingZeros(x ^ y) / Byte.SIZE;
            }
        }
        while (i < most && a[aFrom + i] == b[bFrom + i]) {
            i++;
        }
        return i;
    }
}
