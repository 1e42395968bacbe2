package dev.quorate.storage.sstable.filter;

import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.file.TableOutput;
import java.io.IOException;
import java.util.stream.LongStream;

/** Collects the hashes of a table's keys, and writes its Bloom filter. See {@link BloomFilter}. */
public final class FilterWriter {

    private final int bitsPerKey;
    private final LongStream.Builder hashesOfKeys = LongStream.builder();
    private long count;

    public FilterWriter(int bitsPerKey) {
        this.bitsPerKey = bitsPerKey;
    }

    public void add(long keyHash) {
        if (bitsPerKey > 0) {
            hashesOfKeys.accept(keyHash);
            count++;
        }
    }

    /** The size of the filter, in bytes. */
    public long bytes() {
        return (long) sections() * TableFormat.FILTER_SECTION_BYTES;
    }

    private int sections() {
        return BloomFilter.sections(count, bitsPerKey);
    }

    /** Writes the filter; returns the number of bits set for each key. */
    public int writeTo(TableOutput out) throws IOException {
        int hashes = BloomFilter.hashes(bitsPerKey);
        byte[][] bits = new byte[sections()][BloomFilter.SECTION_BIT_BYTES];
        hashesOfKeys.build().forEach(keyHash -> set(bits, keyHash, hashes));
        for (byte[] section : bits) {
            out.write(section);
            out.seal();
        }
        return hashes;
    }

    private static void set(byte[][] bits, long keyHash, int hashes) {
        byte[] section = bits[BloomFilter.section(keyHash, bits.length)];
        long state = keyHash;
        for (int n = 0; n < hashes; n++) {
            state = BloomFilter.nextState(state);
            int bit = BloomFilter.bit(state);
            section[bit >>> 3] |= (byte) (1 << (bit & 7));
        }
    }
}
