package dev.quorate.loadtest.engine;

import dev.quorate.storage.Compression;
import java.nio.file.Path;

/** Which store. */
public enum EngineKind {
    ROCKSDB("RocksDB"),
    QUORATE("Quorate"),
    /**
     * Ours, whatever the compression: the cost and the benefit of compression are measured beside
     * it.
     */
    UNCOMPRESSED("Quorate, not compressed");

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
    Engine open(Path directory, boolean durable, Conditions conditions) {
        return switch (this) {
            case ROCKSDB -> new RocksEngine(directory, durable, conditions);
            case QUORATE -> new QuorateEngine(directory, durable, conditions.compression());
            case UNCOMPRESSED -> new QuorateEngine(directory, durable, Compression.NONE);
        };
    }
}
