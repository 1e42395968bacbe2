package dev.quorate.loadtest.engine;

import java.nio.file.Path;

/** Which store. */
enum EngineKind {
    ROCKSDB,
    QUORATE;

    /**
     * Opens a store.
     *
     * @param durable whether a write is done only when it is on disk, or else when it is in the
     *     log's file
     */
    Engine open(Path directory, boolean durable, TrialPlan plan) {
        return switch (this) {
            case ROCKSDB -> new RocksEngine(directory, durable, plan.rocksCacheMebibytes());
            case QUORATE -> new QuorateEngine(directory, durable);
        };
    }
}
