package dev.quorate.loadtest.engine;

import dev.quorate.storage.Compression;
import java.nio.file.Path;
import java.util.OptionalDouble;

/** A store under test, open in its own directory. */
interface Engine extends AutoCloseable {

    /** The result of {@link Session#head} for an absent key. */
    long NONE = -1;

    /** The use of a store by one thread. */
    interface Session {

        /** Writes and waits for the completion, which is durable if the engine was opened so. */
        void put(byte[] key, byte[] value);

        /**
         * Writes without waiting, or with a limited number of outstanding writes. The caller must
         * not use the arrays afterwards.
         */
        void stream(byte[] key, byte[] value);

        /** Waits for outstanding writes of {@link #stream}. */
        void drain();

        /** Fetches a value and returns its first eight bytes, or {@link #NONE}. */
        long head(byte[] key);

        /** Scans all entries with their keys and values, and returns their number. */
        long scan();
    }

    /** A new session, for the calling thread. */
    Session session();

    /** Flushes the memtables, and starts the compactions that follow. */
    void flush();

    /** Bytes written to disk per byte of key and value since opening, if the engine reports it. */
    default OptionalDouble writeAmplification() {
        return OptionalDouble.empty();
    }

    @Override
    void close();

    enum EngineKind {
        ROCKSDB("RocksDB"),
        QUORATE("Quorate");

        final String label;

        EngineKind(String label) {
            this.label = label;
        }

        /**
         * @param durable whether a write completes when it is on disk; otherwise when it is in the
         *     log file
         */
        Engine open(Path directory, boolean durable, Compression compression) {
            return switch (this) {
                case ROCKSDB -> new RocksEngine(directory, durable, compression);
                case QUORATE -> new QuorateEngine(directory, durable, compression);
            };
        }
    }
}
