package dev.quorate.storage.sstable.filter;

import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.file.TableOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Collects the hashes of a table's keys, and writes its Bloom filter. See {@link BloomFilter}. */
public final class FilterWriter {

    private static final int CHUNK = 4096;

    private final int bitsPerKey;
    private final List<long[]> chunks = new ArrayList<>();
    private long count;

    public FilterWriter(int bitsPerKey) {
        this.bitsPerKey = bitsPerKey;
    }

    public void add(long keyHash) {
        if (bitsPerKey == 0) {
            return;
        }
        int index = (int) (count % CHUNK);
        if (index == 0) {
            chunks.add(new long[CHUNK]);
        }
        chunks.getLast()[index] = keyHash;
        count++;
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
        int sections = sections();
        int hashes = BloomFilter.hashes(bitsPerKey);
        byte[][] bits = new byte[sections][BloomFilter.SECTION_BIT_BYTES];
        for (long i = 0; i < count; i++) {
            long keyHash = chunks.get((int) (i / CHUNK))[(int) (i % CHUNK)];
            byte[] section = bits[BloomFilter.section(keyHash, sections)];
            long state = keyHash;
            for (int n = 0; n < hashes; n++) {
                state = BloomFilter.nextState(state);
                int bit = BloomFilter.bit(state);
                section[bit >>> 3] |= (byte) (1 << (bit & 7));
            }
        }
        for (byte[] section : bits) {
            out.write(section);
            out.seal();
        }
        return hashes;
    }
}
