package dev.quorate.node;

import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** Opens a node's store. */
@FunctionalInterface
public interface StoreOpener {

    /**
     * Opens the store in a directory, or creates it.
     *
     * @param expiredMillis entries that expire at or before this moment have expired for certain;
     *     milliseconds since 1970
     * @param listener receives the store's events
     * @throws StorageException if it cannot be opened
     */
    KeyValueStore open(
            Path directory,
            StorageOptions options,
            LongSupplier expiredMillis,
            StoreListener listener);
}
