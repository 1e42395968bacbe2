package dev.quorate.loadtest.engine;

import dev.quorate.storage.Compression;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.AbstractNativeReference;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/**
 * RocksDB with the settings of Quorate's store: at most three memtables of 16 MiB; blocks of 4 KiB
 * with the same compression, whose checksums are verified at each read from a file; a Bloom filter
 * of ten bits per key. In addition, it has a block cache, while Quorate relies on the page cache.
 */
final class RocksEngine implements Engine {

    private static final int MAX_VALUE_BYTES = 1 << 16;

    private final List<AbstractNativeReference> owned = new ArrayList<>();
    private final RocksDB db;
    private final WriteOptions writeOptions;
    private final ReadOptions readOptions;

    RocksEngine(Path directory, boolean durable, Compression compression) {
        RocksDB.loadLibrary();
        BlockBasedTableConfig table =
                new BlockBasedTableConfig()
                        .setBlockSize(4096)
                        .setFilterPolicy(own(new BloomFilter(10)))
                        .setBlockCache(own(new LRUCache(64 << 20)));
        Options options =
                own(new Options())
                        .setCreateIfMissing(true)
                        .setCompressionType(compression(compression))
                        .setWriteBufferSize(16 << 20)
                        .setMaxWriteBufferNumber(3)
                        .setTableFormatConfig(table);
        writeOptions = own(new WriteOptions()).setSync(durable);
        readOptions = own(new ReadOptions());
        try {
            db = RocksDB.open(options, directory.toString());
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CompressionType compression(Compression kind) {
        return switch (kind) {
            case NONE -> CompressionType.NO_COMPRESSION;
            case LZ4 -> CompressionType.LZ4_COMPRESSION;
        };
    }

    private <T extends AbstractNativeReference> T own(T reference) {
        owned.add(reference);
        return reference;
    }

    @Override
    public Session session() {
        return new RocksSession();
    }

    @Override
    public void flush() {
        try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
            db.flush(wait);
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        db.close();
        owned.reversed().forEach(AbstractNativeReference::close);
    }

    /** A session whose writes are complete when the call returns. */
    private final class RocksSession implements Session {

        private final byte[] value = new byte[MAX_VALUE_BYTES];

        @Override
        public void put(byte[] key, byte[] newValue) {
            try {
                db.put(writeOptions, key, newValue);
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void stream(byte[] key, byte[] newValue) {
            put(key, newValue);
        }

        @Override
        public void drain() {}

        /** Reads into a reused buffer, which is the fastest way from Java. */
        @Override
        public long head(byte[] key) {
            try {
                int length = db.get(readOptions, key, value);
                return length == RocksDB.NOT_FOUND ? NONE : TrialData.head(value);
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public long scan() {
            ByteBuffer key = ByteBuffer.allocateDirect(TrialData.KEY_BYTES);
            ByteBuffer bytes = ByteBuffer.allocateDirect(MAX_VALUE_BYTES);
            long entries = 0;
            long total = 0;
            try (RocksIterator iterator = db.newIterator(readOptions)) {
                for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                    total += iterator.key(key.clear());
                    total += iterator.value(bytes.clear());
                    entries++;
                }
                iterator.status();
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
            return total == 0 ? 0 : entries;
        }
    }
}
