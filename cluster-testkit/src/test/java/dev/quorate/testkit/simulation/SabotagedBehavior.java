package dev.quorate.testkit.simulation;

import static dev.quorate.testkit.simulation.SabotagedStore.IGNORED;

import dev.quorate.node.NodeCore;
import dev.quorate.node.clock.MomentFile;
import dev.quorate.router.coordinator.Operations;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.message.Digest;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Durability;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Lookup;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Nodes and clients with one bug. */
final class SabotagedBehavior extends Behavior {

    private static final Path TOPOLOGY = Path.of("/data/topology");
    private static final int CLOCK_MAGIC = 0x51434C4B;
    private static final long SNAPSHOT_NANOS = 300_000_000;
    private static final long COPY_POLL_NANOS = 10_000_000;

    private final Sabotage sabotage;
    private final long endNanos;
    private final Map<SimulatedNode, FaultyDisk> snapshots = new HashMap<>();
    private final Map<SimulatedNode, byte[]> firstTopologies = new HashMap<>();
    private final Set<SimulatedNode> votesAfterCopying = new HashSet<>();

    /**
     * A behavior.
     *
     * @param endNanos when faults and the quiet period have ended, in simulated time
     */
    SabotagedBehavior(Sabotage sabotage, long endNanos) {
        this.sabotage = sabotage;
        this.endNanos = endNanos;
    }

    @Override
    void created(SimulatedNode node) {
        if (sabotage == Sabotage.LOSES_THE_END_OF_THE_LOG) {
            snapshots.put(node, node.disk().afterKill());
            node.queue.after(SNAPSHOT_NANOS, () -> created(node));
        }
    }

    @Override
    Durability durability() {
        return sabotage == Sabotage.ACKNOWLEDGES_BEFORE_FSYNC ? Durability.ASYNC : Durability.FSYNC;
    }

    @Override
    boolean trustsEmptyDisk(SimulatedNode node) {
        return switch (sabotage) {
            case EMPTY_REPLICA_VOTES, INCOMPLETE_REPLICA_VOTES, OLD_COPY_VOTES -> true;
            default -> votesAfterCopying.remove(node);
        };
    }

    @Override
    LongSupplier expiryClock(SimulatedNode node, LongSupplier agreed) {
        return sabotage == Sabotage.EXPIRES_BY_ITS_OWN_CLOCK ? node::wallMillis : agreed;
    }

    @Override
    KeyValueStore store(SimulatedNode node, KeyValueStore store) {
        return switch (sabotage) {
            case LAST_TO_ARRIVE_WINS,
                    NEVER_RESTAMPS,
                    REPAIRS_NOTHING,
                    REPAIRS_UNDER_A_NEW_STAMP,
                    DROPS_TOMBSTONES_BY_AGE,
                    KEEPS_NO_RECORDS,
                    SHOWS_WHAT_IS_ONLY_ACCEPTED,
                    FORGETS_ITS_CLOCK ->
                    new SabotagedStore(store, sabotage, node::wallMillis);
            default -> store;
        };
    }

    @Override
    void serving(SimulatedNode node, NodeCore core) {
        switch (sabotage) {
            case VOTES_AFTER_COPYING -> voteAfterCopying(node, core);
            case USES_OLDER_TOPOLOGIES -> useOlder(core);
            case USES_ACCEPTED_TOPOLOGIES -> useAccepted(node, core);
            default -> {}
        }
    }

    private void useOlder(NodeCore core) {
        Topology first = core.topology().current();
        core.topology()
                .whenInstalled(
                        next -> {
                            if (next.epoch() > first.epoch() + 2) {
                                core.topology().install(first);
                            }
                        });
    }

    private void useAccepted(SimulatedNode node, NodeCore core) {
        String accepted =
                node.disk().exists(TOPOLOGY)
                        ? new String(node.disk().read(TOPOLOGY), StandardCharsets.UTF_8)
                                .replaceFirst("(?s).*\naccepted \\S+ (\\S+)\n.*", "$1")
                        : "";
        if (accepted.startsWith("cluster=")) {
            Topology next = Topology.parseCanonicalText(accepted);
            if (next.succeeds(core.topology().current())) {
                core.topology().install(next);
            }
        }
        node.after(COPY_POLL_NANOS, () -> useAccepted(node, core));
    }

    /** Restarts as a complete member as soon as bootstrap has copied. */
    private void voteAfterCopying(SimulatedNode node, NodeCore core) {
        if (core.membership().progress().contains("; comparing with ")) {
            votesAfterCopying.add(node);
            node.end(FaultyDisk::afterKill);
            node.start();
        } else if (!core.membership().votes()) {
            node.after(COPY_POLL_NANOS, () -> voteAfterCopying(node, core));
        }
    }

    @Override
    FaultyDisk afterEnd(SimulatedNode node, FaultyDisk left) {
        return switch (sabotage) {
            case LOSES_THE_END_OF_THE_LOG ->
                    Objects.requireNonNull(snapshots.get(node)).afterKill();
            case FORGETS_ITS_CLOCK -> withoutClock(left);
            case KEEPS_ITS_TOPOLOGY_IN_MEMORY -> withFirstTopology(node, left);
            default -> left;
        };
    }

    private FaultyDisk withFirstTopology(SimulatedNode node, FaultyDisk disk) {
        byte[] first = firstTopologies.get(node);
        if (first == null && disk.exists(TOPOLOGY)) {
            firstTopologies.put(node, disk.read(TOPOLOGY));
        } else if (first != null && disk.exists(TOPOLOGY)) {
            disk.replace(TOPOLOGY, first);
        }
        return disk;
    }

    /** Clears the clock's file. Without the file the node would not vote. */
    private static FaultyDisk withoutClock(FaultyDisk disk) {
        if (disk.exists(SimulatedNode.CLOCK)) {
            try {
                new MomentFile(disk, SimulatedNode.CLOCK, CLOCK_MAGIC).write(0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return disk;
    }

    @Override
    boolean asksFirst() {
        return sabotage != Sabotage.WRITES_WITHOUT_ASKING_FIRST;
    }

    @Override
    QuorumSpec read(QuorumSpec spec) {
        return sabotage == Sabotage.READS_FROM_ONE_REPLICA ? new QuorumSpec(1, spec.from()) : spec;
    }

    @Override
    UnaryOperator<Outcome> readAnswer(NodeCore core, byte[] key) {
        if (sabotage != Sabotage.COUNTS_NEWER_DIGESTS_AS_AGREEING
                || !core.membership().votes()
                || !(core.store().lookup(key) instanceof Lookup.Found(Entry own))) {
            return outcome -> outcome;
        }
        return outcome -> withoutDigests(own, outcome);
    }

    /** The coordinator's own entry, if another replica would send a newer one as a digest. */
    private static Outcome withoutDigests(Entry own, Outcome right) {
        if (!(right instanceof Outcome.Found(Entry newest))
                || newest.valueBytes() <= Digest.SHORT_VALUE_BYTES
                || !newest.supersedes(own)) {
            return right;
        }
        return own.isTombstone() ? new Outcome.Missing(own.timestamp()) : new Outcome.Found(own);
    }

    @Override
    Operations renewing(Operations node) {
        return sabotage == Sabotage.RENEWS_BY_PLAIN_WRITES ? renewingByPlainWrites(node) : node;
    }

    private static Operations renewingByPlainWrites(Operations node) {
        InvocationHandler handler =
                (_, method, arguments) -> {
                    if (!method.getName().equals("renew")) {
                        return method.invoke(node, arguments);
                    }
                    byte[] key = (byte[]) arguments[0];
                    Duration timeToLive = (Duration) arguments[1];
                    QuorumSpec spec = (QuorumSpec) arguments[3];
                    OutcomeCallback callback = (OutcomeCallback) arguments[4];
                    node.read(
                            key,
                            spec,
                            found -> {
                                if (found instanceof Outcome.Found(Entry entry)) {
                                    var value = new NewValue(entry.value(), timeToLive, null);
                                    node.write(key, value, null, spec, true, callback);
                                } else {
                                    callback.completed(found);
                                }
                            });
                    return null;
                };
        return (Operations)
                Proxy.newProxyInstance(
                        Operations.class.getClassLoader(),
                        new Class<?>[] {Operations.class},
                        handler);
    }

    @Override
    @Nullable Timestamp retryOf(Timestamp first) {
        return sabotage == Sabotage.RETRIES_ARE_NEW_WRITES ? null : first;
    }

    @Override
    Outcome written(
            NodeCore core,
            List<SimulatedNode> nodes,
            Outcome outcome,
            Function<Timestamp, Entry> write) {
        if (sabotage == Sabotage.HINTS_OUTLIVE_TOMBSTONES
                && outcome instanceof Outcome.Written(Timestamp timestamp)) {
            writeLate(nodes, write.apply(timestamp));
        }
        if (!(outcome instanceof Outcome.QuorumFailed failed) || failed.timestamp() == null) {
            return outcome;
        }
        return switch (sabotage) {
            case COUNTS_TIMEOUTS_AS_ACKNOWLEDGEMENTS -> new Outcome.Written(failed.timestamp());
            case COUNTS_HINTS_AS_ACKNOWLEDGEMENTS -> {
                storeHints(core, nodes, failed, write.apply(failed.timestamp()));
                yield new Outcome.Written(failed.timestamp());
            }
            default -> outcome;
        };
    }

    private static void storeHints(
            NodeCore core, List<SimulatedNode> nodes, Outcome.QuorumFailed failed, Entry entry) {
        for (Outcome.ReplicaFailure failure : failed.failures()) {
            nodes.stream()
                    .filter(node -> node.member.name().equals(failure.member()))
                    .forEach(node -> core.handoff().missed(node.member, entry));
        }
    }

    /** Writes a value again after the tombstones are dropped. */
    private void writeLate(List<SimulatedNode> nodes, Entry entry) {
        if (entry.isTombstone()) {
            return;
        }
        SimulatedNode target = nodes.get(entry.timestamp().hashCode() & 1);
        target.queue.after(
                endNanos - target.queue.nanos(),
                () -> {
                    NodeCore core = target.serving();
                    if (core != null) {
                        target.after(0, () -> core.store().write(entry, IGNORED));
                    }
                });
    }
}
