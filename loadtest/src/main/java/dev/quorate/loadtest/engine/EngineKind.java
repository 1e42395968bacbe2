package dev.quorate.loadtest.engine;

import dev.quorate.storage.Compression;
import java.nio.file.Path;

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
