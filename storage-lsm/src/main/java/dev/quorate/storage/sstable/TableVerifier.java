package dev.quorate.storage.sstable;

import dev.quorate.storage.sstable.block.BlockReader;
import dev.quorate.storage.sstable.file.TableFile;
import dev.quorate.storage.sstable.filter.BloomFilter;
import dev.quorate.storage.sstable.filter.KeyHash;
import dev.quorate.storage.sstable.index.IndexBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Verifies a whole table: every checksum, the order of the keys, that the index refers to every
 * block with correct fences, that the filter contains every key, and that the summary matches the
 * entries.
 */
final class TableVerifier {

    private final TableReader table;
    private final TableFile file;
    private final TableMetadata metadata;
    private final BlockReader block = new BlockReader();

    private byte @Nullable [] lastKey;
    private final EntryTotals totals = new EntryTotals();
    private long nextOffset;

    TableVerifier(TableReader table) {
        this.table = table;
        this.file = table.file();
        this.metadata = table.metadata();
    }

    /**
     * Verifies the table.
     *
     * @throws dev.quorate.storage.CorruptionException at the first damage
     */
    void verify() {
        Footer footer = Footer.read(file, metadata.number());
        IndexBlock root = footer.readIndex(file);
        final long mark = Summary.read(file, footer, metadata).mostlyExpiredAtMillis();
        @Nullable BloomFilter filter = table.filter();
        if (filter != null) {
            filter.verify();
        }
        for (int i = 0; i < root.count(); i++) {
            IndexBlock part = table.part(i);
            part.check();
            for (int slot = 0; slot < part.count(); slot++) {
                verifyBlock(part, slot, filter);
            }
        }
        if (nextOffset != footer.indexOffset()) {
            throw file.corrupt(nextOffset, "the index ends before the data");
        }
        requireMetadata();
        if (mark != totals.halfExpiredMillis()) {
            throw file.corrupt(
                    footer.summaryOffset(), "expiry " + mark + " does not match the entries");
        }
    }

    private void verifyBlock(IndexBlock part, int slot, @Nullable BloomFilter filter) {
        long offset = part.targetOffset(slot);
        int length = part.targetLength(slot);
        if (offset != nextOffset) {
            throw file.corrupt(part.offset(), "slot " + slot + " does not point to the next block");
        }
        block.load(file, offset, length);
        nextOffset = offset + length;
        if (lastKey != null && part.compareFence(slot, lastKey) <= 0) {
            throw file.corrupt(part.offset(), "fence " + slot + " is before its block");
        }
        boolean first = true;
        while (block.next()) {
            byte[] key = block.key();
            if (first && part.compareFence(slot, key) > 0) {
                throw file.corrupt(part.offset(), "fence " + slot + " is within its block");
            }
            first = false;
            if (lastKey != null && Arrays.compareUnsigned(lastKey, key) >= 0) {
                throw file.corrupt(offset, "keys do not ascend");
            }
            lastKey = key;
            if (filter != null && !filter.mayContain(KeyHash.of(key))) {
                throw file.corrupt(offset, "the filter lacks a key");
            }
            totals.add(block.timestamp(), block.isTombstone(), block.expiresAtMillis());
        }
        if (first) {
            throw file.corrupt(offset, "a block without entries");
        }
    }

    private void requireMetadata() {
        if (!totals.match(metadata) || !Arrays.equals(lastKey, metadata.largestKey())) {
            throw file.corrupt(file.size(), "the entries do not match the summary");
        }
    }
}
