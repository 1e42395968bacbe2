package dev.quorate.node;

import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.Member;
import dev.quorate.router.transport.PeerLink;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.StorageOptions;
import dev.quorate.storage.StoreListener;
import dev.quorate.storage.io.StorageFiles;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The effects of a node. With simulated effects a whole cluster runs deterministically on one
 * thread.
 *
 * @param files its disk
 * @param runtime its clocks, timers, randomness and threads
 * @param store opens its store on that disk, with those clocks
 * @param clockRenewal the executor that writes the clock's bound, and nothing else
 * @param links the connections to peers
 * @param fatal called with the reason when the node must not continue, as after a failed fsync
 */
public record NodeEffects(
        StorageFiles files,
        NodeRuntime runtime,
        StoreOpener store,
        Executor clockRenewal,
        Function<Member, PeerLink> links,
        Consumer<String> fatal) {

    /** Opens a node's store. */
    @FunctionalInterface
    public interface StoreOpener {

        /**
         * Opens the store in a directory, or creates it.
         *
         * @param expiredMillis entries that expire at or before this time have certainly expired;
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
}
