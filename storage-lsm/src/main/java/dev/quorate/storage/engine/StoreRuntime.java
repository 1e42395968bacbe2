package dev.quorate.storage.engine;

import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.io.StorageFiles;
import java.nio.file.Path;

/** The environment that all components of a store share. */
record StoreRuntime(
        StorageFiles files,
        Path directory,
        StorageOptions options,
        StoreExecutors executors,
        StoreClocks clocks,
        StoreListener listener) {}
