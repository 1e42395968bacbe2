package dev.quorate.node;

import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** How a node gets its store. */
@FunctionalInterface
public interface StoreOpener {

    /**
     * Opens the store in a directory, or makes one there.
     *
     * @param expiredMillis what expires at or before this moment has expired for certain;
     *     milliseconds since 1970
     * @param listener told what somebody should know about it
     * @throws StorageException if it cannot be opened
     */
    KeyValueStore open(
            Path directory,
            StorageOptions options,
            LongSupplier expiredMillis,
            StoreListener listener);
}
