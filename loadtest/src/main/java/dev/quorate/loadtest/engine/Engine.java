package dev.quorate.loadtest.engine;

import dev.quorate.storage.Compression;
import java.nio.file.Path;
import java.util.OptionalDouble;

/** A store under test, open in a directory of its own. */
interface Engine extends AutoCloseable {

    /** The result of {@link Session#head} for an absent key. */
    long NONE = -1;

    /** The store as one thread uses it. */
    interface Session {

        /** Writes, and waits until it is done: durable, if the engine was opened so. */
        void put(byte[] key, byte[] value);

        /**
         * Writes in the engine's natural way, which may leave writes outstanding, up to a bound.
         * The arrays are given away.
         */
        void stream(byte[] key, byte[] value);

        /** Waits for what {@link #stream} has left outstanding. */
        void drain();

        /** The first eight bytes of a key's value, or {@link #NONE}. The whole value is fetched. */
        long head(byte[] key);

        /** Scans all entries with their keys and values, and returns their number. */
        long scan();
    }

    /** A new session, for the calling thread. */
    Session session();

    /** Writes to tables what is in memory, and begins what compaction follows from it. */
    void flush();

    /**
     * Bytes written to disk for each byte of key and value since it was opened, if the engine
     * reports it.
     */
    default OptionalDouble writeAmplification() {
        return OptionalDouble.empty();
    }

    @Override
    void close();

    /** Which store. */
    enum EngineKind {
        ROCKSDB("RocksDB"),
        QUORATE("Quorate");

        private final String label;

        EngineKind(String label) {
            this.label = label;
        }

        /** For people. */
        String label() {
            return label;
        }

        /**
         * Opens a store.
         *
         * @param durable whether a write is done only when it is on disk, or else when it is in the
         *     log's file
         */
        Engine open(Path directory, boolean durable, Compression compression) {
            return switch (this) {
                case ROCKSDB -> new RocksEngine(directory, durable, compression);
                case QUORATE -> new QuorateEngine(directory, durable, compression);
            };
        }
    }
}
