package dev.quorate.storage;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The options of a store. Immutable; {@link #defaults} returns the defaults, and each {@code with}
 * method changes one option.
 *
 * @param memtableBytes size at which a memtable is sealed and flushed. Larger: fewer, larger tables
 *     and more memory outside the heap, which {@code -XX:MaxDirectMemorySize} does not limit. A
 *     store has at most three memtables, one active and two sealed, each of this size plus the
 *     writes of one group, a chunk of each kind and a growing index (about 3 MiB with small
 *     values); slow readers may retain five more flushed ones before writes wait for them. The
 *     default is 16 MiB.
 * @param segmentBytes size to which a log segment is preallocated. The default is 32 MiB.
 * @param blockBytes size of a table's data block before compression. The default is 4 KiB.
 * @param bloomBitsPerKey bits of Bloom filter for each key. The default is 10: about 1 % of
 *     look-ups of absent keys read a block.
 * @param maxQueuedBytes bytes of writes that may wait for the log; beyond that writes are rejected.
 *     The default is 16 MiB, or an eighth of the heap if that is less.
 * @param durability when a write is acknowledged. The default is {@link Durability#FSYNC}.
 * @param asyncWindowMillis with {@link Durability#ASYNC}, the longest time between an
 *     acknowledgement and its fsync. The default is 10.
 * @param reservedDiskBytes free space below which writes are rejected, so that compaction can still
 *     free space. The default is 64 MiB.
 * @param compression how the data blocks of new tables are stored. {@link Compression#LZ4} reduces
 *     the space of text by a quarter to a third, and makes each look-up that reads a table several
 *     times slower. The default is {@link Compression#NONE}.
 * @param compactionBytesPerSecond rate at which compaction writes while its backlog is small; 0 for
 *     no limit. Lower: less interference with reads and writes, and more tables in level 0. The
 *     rate rises with the backlog and is unlimited before writes are throttled. Flushes are never
 *     throttled. The default is 64 MiB.
 * @param scrubMillis period in which the scrub reads and verifies every byte of every table once,
 *     in milliseconds; 0 disables it. Shorter: damage in cold data is found sooner, at the cost of
 *     more disk reads. The default is a week.
 */
public record StorageOptions(
        long memtableBytes,
        long segmentBytes,
        int blockBytes,
        int bloomBitsPerKey,
        long maxQueuedBytes,
        Durability durability,
        long asyncWindowMillis,
        long reservedDiskBytes,
        Compression compression,
        long compactionBytesPerSecond,
        long scrubMillis) {

    private static final long MIB = 1 << 20;

    public StorageOptions {
        List<String> violations = new ArrayList<>();
        require(violations, memtableBytes >= 4096, "memtableBytes must be at least 4096");
        require(violations, segmentBytes >= 8192, "segmentBytes must be at least 8192");
        require(
                violations,
                blockBytes >= 256 && blockBytes <= MIB,
                "blockBytes must be 256 to 1048576");
        require(
                violations,
                bloomBitsPerKey >= 0 && bloomBitsPerKey <= 64,
                "bloomBitsPerKey must be 0 to 64");
        require(violations, maxQueuedBytes >= 1024, "maxQueuedBytes must be at least 1024");
        require(violations, asyncWindowMillis >= 1, "asyncWindowMillis must be at least 1");
        require(violations, reservedDiskBytes >= 0, "reservedDiskBytes must not be negative");
        require(
                violations,
                compactionBytesPerSecond >= 0,
                "compactionBytesPerSecond must not be negative");
        require(violations, scrubMillis >= 0, "scrubMillis must not be negative");
        if (!violations.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", violations));
        }
    }

    private static void require(List<String> violations, boolean holds, String message) {
        if (!holds) {
            violations.add(message);
        }
    }

    /** The defaults, sized for the heap of this process. */
    public static StorageOptions defaults() {
        long heap = Runtime.getRuntime().maxMemory();
        return new StorageOptions(
                16 * MIB,
                32 * MIB,
                4096,
                10,
                Math.min(16 * MIB, heap / 8),
                Durability.FSYNC,
                10,
                64 * MIB,
                Compression.NONE,
                64 * MIB,
                7L * 86_400_000);
    }

    public StorageOptions withMemtableBytes(long bytes) {
        return copy(copy -> copy.memtableBytes = bytes);
    }

    public StorageOptions withSegmentBytes(long bytes) {
        return copy(copy -> copy.segmentBytes = bytes);
    }

    public StorageOptions withBlockBytes(int bytes) {
        return copy(copy -> copy.blockBytes = bytes);
    }

    public StorageOptions withMaxQueuedBytes(long bytes) {
        return copy(copy -> copy.maxQueuedBytes = bytes);
    }

    public StorageOptions withDurability(Durability kind) {
        return copy(copy -> copy.durability = kind);
    }

    public StorageOptions withAsyncWindowMillis(long millis) {
        return copy(copy -> copy.asyncWindowMillis = millis);
    }

    public StorageOptions withReservedDiskBytes(long bytes) {
        return copy(copy -> copy.reservedDiskBytes = bytes);
    }

    public StorageOptions withCompression(Compression kind) {
        return copy(copy -> copy.compression = kind);
    }

    public StorageOptions withCompactionBytesPerSecond(long bytes) {
        return copy(copy -> copy.compactionBytesPerSecond = bytes);
    }

    public StorageOptions withScrubMillis(long millis) {
        return copy(copy -> copy.scrubMillis = millis);
    }

    private StorageOptions copy(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.build();
    }

    /** Options that are being changed. */
    private static final class Copy {
        private long memtableBytes;
        private long segmentBytes;
        private int blockBytes;
        private final int bloomBitsPerKey;
        private long maxQueuedBytes;
        private Durability durability;
        private long asyncWindowMillis;
        private long reservedDiskBytes;
        private Compression compression;
        private long compactionBytesPerSecond;
        private long scrubMillis;

        Copy(StorageOptions of) {
            memtableBytes = of.memtableBytes;
            segmentBytes = of.segmentBytes;
            blockBytes = of.blockBytes;
            bloomBitsPerKey = of.bloomBitsPerKey;
            maxQueuedBytes = of.maxQueuedBytes;
            durability = of.durability;
            asyncWindowMillis = of.asyncWindowMillis;
            reservedDiskBytes = of.reservedDiskBytes;
            compression = of.compression;
            compactionBytesPerSecond = of.compactionBytesPerSecond;
            scrubMillis = of.scrubMillis;
        }

        StorageOptions build() {
            return new StorageOptions(
                    memtableBytes,
                    segmentBytes,
                    blockBytes,
                    bloomBitsPerKey,
                    maxQueuedBytes,
                    durability,
                    asyncWindowMillis,
                    reservedDiskBytes,
                    compression,
                    compactionBytesPerSecond,
                    scrubMillis);
        }
    }
}
