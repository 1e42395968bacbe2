package dev.quorate.node;

import dev.quorate.node.runtime.NodeRuntime;
import dev.quorate.node.transport.PeerLink;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.io.StorageFiles;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The world that a node lives in. With effects that are simulated a whole cluster runs on one
 * thread, and the same way each time.
 *
 * @param files its disk
 * @param runtime its clocks, timers, randomness and threads
 * @param store opens its store, on that disk and by those clocks
 * @param clockRenewal where the clock's bound is written, and nothing else
 * @param links the way to each peer
 * @param fatal told why the node must not go on, as after a failed fsync
 */
public record NodeEffects(
        StorageFiles files,
        NodeRuntime runtime,
        StoreOpener store,
        Executor clockRenewal,
        Function<Member, PeerLink> links,
        Consumer<String> fatal) {}
