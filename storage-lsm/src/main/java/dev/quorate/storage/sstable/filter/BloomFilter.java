package dev.quorate.storage.sstable.filter;

import dev.quorate.storage.sstable.file.TableFile;
import dev.quorate.storage.sstable.file.TableFormat;
import java.lang.foreign.ValueLayout;

/**
 * A Bloom filter in the mapped file, split into sections of 256 bytes. All bits of a key are in one
 * section, so a test reads one page and a few cache lines. The blocked filter is that of Putze,
 * Sanders and Singler, <i>Cache-, Hash- and Space-Efficient Bloom Filters</i> (2007). Sections of
 * this size cost little accuracy: at 10 bits per key the rate of false positives is 0.85 %, against
 * 0.82 % of an unblocked filter and 1.2 % with sections of one cache line.
 *
 * <p>Each section has a checksum. Only negative results need it, since a flipped bit can hide a
 * key; a positive result is verified by the data block. Verifying all sections when the table is
 * opened was dropped: it reads every filter from disk at start, and misses later damage.
 *
 * @param hashes bits set for each key
 */
public record BloomFilter(TableFile file, long offset, int sections, int hashes) {

    /** Bytes of a section without its checksum. */
    public static final int SECTION_BIT_BYTES =
            TableFormat.FILTER_SECTION_BYTES - TableFormat.CHECKSUM_BYTES;

    private static final int SECTION_BITS = SECTION_BIT_BYTES * 8;
    private static final int MAX_HASHES = 30;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    public static int sections(long keys, int bitsPerKey) {
        return Math.toIntExact((keys * bitsPerKey + SECTION_BITS - 1) / SECTION_BITS);
    }

    /** The number of bits to set for each key with the fewest false positives. */
    public static int hashes(int bitsPerKey) {
        return Math.clamp(Math.round(bitsPerKey * Math.log(2)), 1, MAX_HASHES);
    }

    public static boolean isValid(int hashes) {
        return hashes >= 1 && hashes <= MAX_HASHES;
    }

    /** The section of a key: its hash's upper half scaled to the number of sections. */
    public static int section(long keyHash, int sections) {
        return (int) (((keyHash >>> 32) * sections) >>> 32);
    }

    /**
     * The next state of a sequence that begins with the key's hash; each state determines one
     * {@link #bit}.
     */
    public static long nextState(long state) {
        return state * SPREAD;
    }

    public static int bit(long state) {
        return (int) (((state >>> 32) * SECTION_BITS) >>> 32);
    }

    /** The offset in the file of a key's section. */
    public long sectionOffset(long keyHash) {
        return offset + (long) section(keyHash, sections) * TableFormat.FILTER_SECTION_BYTES;
    }

    /**
     * False if the table certainly does not contain the key.
     *
     * @throws dev.quorate.storage.CorruptionException if the result would be false, but the section
     *     is damaged
     */
    public boolean mayContain(long keyHash) {
        long section = sectionOffset(keyHash);
        long state = keyHash;
        for (int n = 0; n < hashes; n++) {
            state = nextState(state);
            int bit = bit(state);
            byte bits = file.bytes().get(ValueLayout.JAVA_BYTE, section + (bit >>> 3));
            if ((bits >>> (bit & 7) & 1) == 0) {
                file.check(section, TableFormat.FILTER_SECTION_BYTES);
                return false;
            }
        }
        return true;
    }

    /** Verifies every section. */
    public void verify() {
        for (int i = 0; i < sections; i++) {
            check(i);
        }
    }

    public void check(int section) {
        file.check(
                offset + (long) section * TableFormat.FILTER_SECTION_BYTES,
                TableFormat.FILTER_SECTION_BYTES);
    }

    @Override
    public int sections() {
        return sections;
    }
}
