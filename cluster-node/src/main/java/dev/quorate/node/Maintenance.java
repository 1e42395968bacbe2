package dev.quorate.node;

import dev.quorate.node.antientropy.BulkCopy;
import dev.quorate.node.antientropy.Healing;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.antientropy.RepairsOnReturn;
import dev.quorate.node.config.NodeOption;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.directory.DataDirectory;
import dev.quorate.node.membership.Announcements;
import dev.quorate.node.membership.Epochs;
import dev.quorate.node.membership.Gain;
import dev.quorate.node.membership.Lives;
import dev.quorate.node.membership.Membership;
import dev.quorate.node.membership.Rebuild;
import dev.quorate.node.membership.TombstoneGc;
import dev.quorate.router.coordinator.Coordinator;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.transport.Peer;
import dev.quorate.router.transport.PeerTransport;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The background work of a member that has peers: it repairs, heals, rebuilds, announces its state,
 * and collects tombstones.
 */
final class Maintenance {

    /**
     * The data of this member.
     *
     * @param records the records of conditional writes
     */
    record Own(
            DataDirectory directory,
            KeyValueStore store,
            KeyValueStore records,
            LocalReplica replica,
            Membership membership,
            LiveTopology topology,
            Epochs epochs) {}

    private final NodeRuntime runtime;
    private final boolean repairsOften;
    private final Repairs repairs;
    private final RepairsOnReturn repairsOnReturn;
    private final Announcements announcements;
    private final Membership membership;
    private final LivePlacement placement;
    private final Epochs epochs;
    private final RecordUpkeep recordUpkeep;
    private final Rebuild rebuild;
    private final Lives lives;
    private final TombstoneGc tombstoneGc;
    private final Healing healing;

    /**
     * @param parts closed by the caller, in reverse order
     */
    Maintenance(
            NodeOptions options,
            NodeRuntime runtime,
            Own own,
            LivePlacement placement,
            PeerTransport transport,
            Coordinator coordinator,
            Parts parts) {
        this.runtime = runtime;
        this.placement = placement;
        DataDirectory data = own.directory();
        KeyValueStore store = own.store();
        LocalReplica local = own.replica();
        membership = own.membership();
        Duration requestTimeout = options.get(NodeOption.REQUEST_TIMEOUT);
        Duration interval = options.get(NodeOption.REPAIR_INTERVAL);
        long repairRate = options.get(NodeOption.REPAIR_RATE);
        long rebuildRate = options.get(NodeOption.REBUILD_RATE);
        Supplier<List<Replica>> peers =
                () -> transport.peers().stream().map(Peer::forRepair).toList();
        repairsOften = interval.isPositive();
        repairs =
                parts.add(
                        new Repairs(
                                peers,
                                local,
                                store,
                                placement,
                                membership,
                                new Repairs.Options(interval, repairRate, rebuildRate),
                                runtime));
        announcements =
                new Announcements(
                        membership,
                        () ->
                                transport.peers().stream()
                                        .map(
                                                peer ->
                                                        new Announcements.OtherMember(
                                                                peer, peer::isUp))
                                        .toList(),
                        runtime.ticker());
        repairsOnReturn =
                parts.add(new RepairsOnReturn(repairs, announcements::others, membership, runtime));
        BulkCopy entries =
                parts.add(BulkCopy.ofEntries(local, store, () -> gainRate(rebuildRate), runtime));
        recordUpkeep =
                parts.add(
                        new RecordUpkeep(
                                options, own.records(), local, coordinator, peers, runtime));
        epochs = parts.add(own.epochs());
        Executor directory = epochs.directory();
        rebuild =
                parts.add(
                        new Rebuild(
                                membership,
                                parts.add(
                                        new Gain(
                                                membership,
                                                announcements,
                                                entries,
                                                recordUpkeep.copied(),
                                                repairs,
                                                runtime.scheduler())),
                                placement,
                                watermarkMillis -> complete(own, watermarkMillis),
                                requestTimeout,
                                runtime.scheduler(),
                                directory));
        lives =
                parts.add(
                        new Lives(
                                membership,
                                announcements,
                                rebuild,
                                data,
                                runtime.scheduler(),
                                directory));
        tombstoneGc =
                parts.add(
                        new TombstoneGc(
                                membership,
                                recordUpkeep.notes(),
                                new TombstoneGc.Disk() {
                                    @Override
                                    public void record(long watermarkMillis) throws IOException {
                                        data.gcWatermark().write(watermarkMillis);
                                    }

                                    @Override
                                    public void collect(long watermarkMillis) {
                                        collectTombstones(store, watermarkMillis);
                                    }
                                },
                                requestTimeout,
                                Repairs.LONGEST_TRANSFER,
                                runtime));
        own.topology()
                .whenInstalled(
                        chosen -> {
                            transport.probeAll();
                            rebuild.moved();
                            lives.start();
                            announcements.announceToAll();
                        });
        healing =
                parts.add(
                        new Healing(
                                peers, local, store, placement, membership, repairRate, runtime));
    }

    /** A member that sends keys to several others divides its bytes among them. */
    private long gainRate(long rate) {
        double share = placement.current().losersForEachGainer();
        return rate == 0 ? 0 : Math.max(1, (long) (rate * share));
    }

    /** Records that this member has every write that it acknowledged. */
    private static void complete(Own own, long watermarkMillis) throws IOException {
        if (watermarkMillis > 0) {
            own.directory().gcWatermark().write(watermarkMillis);
        }
        collectTombstones(own.store(), watermarkMillis);
        long next = own.membership().generations().next();
        own.directory().becomeWhole(next);
        own.membership().generations().begin(next);
    }

    static void collectTombstones(KeyValueStore store, long gcWatermarkMillis) {
        if (gcWatermarkMillis > 0) {
            store.collectTombstones(Timestamp.of(gcWatermarkMillis - 1, 0, 0));
        }
    }

    /** Starts all work; requests may be sent to peers from now on. */
    void start() {
        repairs.start();
        if (repairsOften) {
            repairsOnReturn.start();
        }
        announcements.start(repairs);
        epochs.start(announcements, membership, placement);
        rebuild.start();
        lives.start();
        tombstoneGc.start(repairs);
        healing.start();
        recordUpkeep.start(runtime.scheduler());
    }

    Repairs repairs() {
        return repairs;
    }

    Healing healing() {
        return healing;
    }

    /** Announces this member's state to all others. */
    void announce() {
        announcements.announceToAll();
    }
}
