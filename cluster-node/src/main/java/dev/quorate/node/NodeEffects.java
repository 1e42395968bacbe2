package dev.quorate.node;

import dev.quorate.node.runtime.Scheduler;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.node.transport.PeerLink;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.io.StorageFiles;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The world that a node lives in. With effects that are simulated a whole cluster runs on one
 * thread, and the same way each time.
 *
 * @param files its disk
 * @param ticker its clocks
 * @param scheduler its timers
 * @param store opens its store, on that disk and by those clocks
 * @param blockingReads where reads may wait for the disk; throws {@link
 *     java.util.concurrent.RejectedExecutionException} when too many do
 * @param clockRenewal where the clock's bound is written, and nothing else
 * @param links the way to each peer
 * @param random spreads the probes of a peer that is down, and makes the secret of a node without
 *     peers
 * @param fatal told why the node must not go on, as after a failed fsync
 */
public record NodeEffects(
        StorageFiles files,
        Ticker ticker,
        Scheduler scheduler,
        StoreOpener store,
        Executor blockingReads,
        Executor clockRenewal,
        Function<Member, PeerLink> links,
        RandomGenerator random,
        Consumer<String> fatal) {}
