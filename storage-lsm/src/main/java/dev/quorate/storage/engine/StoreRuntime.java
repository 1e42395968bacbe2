package dev.quorate.storage.engine;

import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.io.StorageFiles;
import java.nio.file.Path;

/**
 * What all components of a store run on.
 *
 * @param directory of the store
 */
record StoreRuntime(
        StorageFiles files,
        Path directory,
        StorageOptions options,
        StoreExecutors executors,
        StoreClocks clocks,
        StoreListener listener) {}
