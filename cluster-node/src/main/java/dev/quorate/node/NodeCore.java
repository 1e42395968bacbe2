package dev.quorate.node;

import dev.quorate.node.antientropy.Healing;
import dev.quorate.node.antientropy.PeerRequests;
import dev.quorate.node.antientropy.Repairs;
import dev.quorate.node.antientropy.StoreSource;
import dev.quorate.node.clock.ClockReservation;
import dev.quorate.node.config.FoundingChoice;
import dev.quorate.node.config.NodeOption;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.Secret;
import dev.quorate.node.directory.DataDirectory;
import dev.quorate.node.directory.MemberRecord.Standing;
import dev.quorate.node.handoff.Handoff;
import dev.quorate.node.handoff.HandoffOptions;
import dev.quorate.node.inquiry.Inquiries;
import dev.quorate.node.inquiry.StoreInquirer;
import dev.quorate.node.membership.Epochs;
import dev.quorate.node.membership.ExpiryTime;
import dev.quorate.node.membership.Leftovers;
import dev.quorate.node.membership.Membership;
import dev.quorate.node.membership.Past;
import dev.quorate.node.membership.VotingReplica;
import dev.quorate.node.peer.PeerDoor;
import dev.quorate.node.peer.SlowRequests;
import dev.quorate.router.coordinator.Coordinator;
import dev.quorate.router.coordinator.operation.ClusterReplicas;
import dev.quorate.router.coordinator.operation.CoordinatorOptions;
import dev.quorate.router.message.FrameSeal;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberState.PeerView;
import dev.quorate.router.replica.ChangeNotices;
import dev.quorate.router.replica.LocalReplica;
import dev.quorate.router.replica.MemberServices;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.replica.ShareOfReads;
import dev.quorate.router.ring.LivePlacement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.LogTimes;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.SerialExecutor;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.transport.Identity;
import dev.quorate.router.transport.Peer;
import dev.quorate.router.transport.PeerTransport;
import dev.quorate.router.transport.TransportOptions;
import dev.quorate.storage.Figures;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.Keyspaces;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node without its listeners: the store, the clock, the replica, the peer endpoint, the
 * transport, and the coordinator. The same in a process and in a simulation; only the {@link
 * NodeEffects} differ.
 *
 * <p>The parts are created in the order of their dependencies. They are closed in reverse order,
 * also if opening fails.
 */
public final class NodeCore implements AutoCloseable {

    /** How far the clock's bound on disk is ahead of the clock. */
    private static final Duration CLOCK_AHEAD = Duration.ofSeconds(2);

    /** Records of conditional writes expire this long after the oldest acceptable write. */
    private static final Duration RECORDS_KEPT_LONGER = Duration.ofMinutes(10);

    /** A hint may use this fraction of the heap, 1/64, because it is copied a few times. */
    private static final int HINTS_IN_HEAP = 64;

    /** Maximum number of client reads that wait for the disk; the queue holds twice as many. */
    private static final int MAX_WAITING_READS = 512;

    /** Maximum number of queued comparisons: more than all peers request at once. */
    private static final int MAX_COMPARISONS = 1_024;

    private final NodeOptions options;
    private final NodeEffects effects;
    private final NodeRuntime runtime;
    private final Parts parts = new Parts();
    private final StoreEvents events;
    private final KeyValueStore store;
    private final ClockReservation reservation;
    private final ByteBudget largeValues;
    private final LiveTopology topology;
    private final Membership membership;
    private final Epochs epochs;
    private final ChangeNotices notices;
    private final LocalReplica local;
    private final VotingReplica voting;
    private final Handoff handoff;
    private final PeerTransport transport;
    private final LivePlacement placement;
    private final Coordinator coordinator;
    private final Inquiries inquiries;
    private final Maintenance maintenance;
    private final PeerDoor door;

    /**
     * Opens the store and recovers it.
     *
     * @param largeValues the budget for large values in memory
     * @param ring used if it places keys as this node's topology does, since another one takes tens
     *     of milliseconds; nodes of one process may share it
     * @param secret the current secret; null in a cluster of one without a secret
     * @throws IOException if the data directory belongs to another member, or the disk fails
     * @throws dev.quorate.storage.StorageException if the store cannot be opened
     */
    public NodeCore(
            NodeOptions options,
            NodeEffects effects,
            ByteBudget largeValues,
            Ring ring,
            @Nullable Supplier<Secret> secret)
            throws IOException {
        this.options = options;
        this.effects = effects;
        this.runtime = effects.runtime();
        this.largeValues = largeValues;
        try {
            DataDirectory data =
                    DataDirectory.open(
                            effects.files(),
                            options.get(NodeOption.DATA),
                            options.self().name(),
                            options.topology(),
                            options.get(NodeOption.TRUST_EMPTY_DISK),
                            runtime.random());
            events = new StoreEvents(effects.fatal(), runtime.events());
            topology = new LiveTopology(data.topology().topology());
            placement = new LivePlacement(topology, ring);
            ExpiryTime expiry = newExpiryTime();
            KeyValueStore opened =
                    parts.add(
                            effects.store()
                                    .open(data.store(), options.storage(), expiry::millis, events));
            Keyspaces keyspaces = Keyspaces.of(opened);
            store = keyspaces.data();
            reservation = parts.add(openClock(data));
            Deadlines deadlines = new Deadlines(runtime.ticker(), runtime.scheduler());
            // Closed after the transport: writes that fail with it become hints for the next start.
            handoff = parts.add(handoff(data));
            long gcWatermarkMillis = data.gcWatermark().read();
            if (options.get(NodeOption.TRUST_EMPTY_DISK) && data.standing() != Standing.WHOLE) {
                data.becomeWhole(data.generation() + 1);
            }
            membership = newMembership(data, gcWatermarkMillis);
            expiry.listenTo(membership.others()::wallMillis);
            Maintenance.collectTombstones(store, gcWatermarkMillis);
            epochs =
                    new Epochs(
                            data,
                            topology,
                            options.topology(),
                            options.self(),
                            options.get(NodeOption.FOUNDING) == FoundingChoice.NEW,
                            reservation.clock(),
                            runtime);
            Duration pastDeadlines = options.get(NodeOption.REQUEST_TIMEOUT).multipliedBy(2);
            parts.add(
                    new Leftovers(
                            keyspaces,
                            data,
                            topology,
                            placement,
                            membership,
                            epochs.directory(),
                            task ->
                                    runtime.scheduler()
                                            .after(
                                                    pastDeadlines,
                                                    () -> epochs.directory().execute(task))));
            notices =
                    parts.add(
                            new ChangeNotices(
                                    options.self().number(),
                                    this::changed,
                                    this::peer,
                                    runtime.ticker(),
                                    runtime.scheduler(),
                                    runtime.random()));
            events.listener(notices);
            local =
                    new LocalReplica(
                                    options.self(),
                                    store,
                                    reservation.clock(),
                                    runtime.ticker(),
                                    deadlines,
                                    runtime.blocking(),
                                    new MemberServices(
                                            new SerialExecutor(
                                                    runtime.blocking(),
                                                    runtime.scheduler(),
                                                    MAX_COMPARISONS),
                                            new PeerRequests(
                                                    new StoreSource(
                                                            store,
                                                            keyspaces.records(),
                                                            placement,
                                                            options.self(),
                                                            runtime.ticker(),
                                                            membership::gcWatermarkMillis),
                                                    membership,
                                                    epochs,
                                                    notices),
                                            new StoreInquirer(
                                                    store,
                                                    handoff::hintedMembers,
                                                    topology,
                                                    membership::ours,
                                                    membership.watermark()),
                                            membership.watermark()))
                            .withRecords(
                                    keyspaces.records(),
                                    keyspaces::write,
                                    slack().plus(RECORDS_KEPT_LONGER),
                                    options.get(NodeOption.REQUEST_TIMEOUT),
                                    topology)
                            .readingLargeBy(
                                    new SerialExecutor(
                                            runtime.blocking(),
                                            runtime.scheduler(),
                                            MAX_WAITING_READS));
            voting = new VotingReplica(local, membership, runtime);
            Identity identity =
                    new Identity(
                            topology,
                            options.self(),
                            seals(secret),
                            reservation.clock(),
                            Identity.drawLife(runtime.random()));
            transport =
                    new PeerTransport(
                            identity,
                            topology.current(),
                            effects.links(),
                            TransportOptions.forValuesOf(options.maxValueBytes()),
                            runtime,
                            largeValues);
            parts.add(transport);
            topology.whenInstalled(
                    next -> {
                        transport.moveTo(next);
                        handoff.moveTo(destinations());
                    });
            membership.setPeerViews(
                    () ->
                            transport.peers().stream()
                                    .map(
                                            peer ->
                                                    new PeerView(
                                                            peer.member().number(),
                                                            peer.standing()))
                                    .toList());
            coordinator = newCoordinator(deadlines);
            AutoCloseable ticks =
                    runtime.scheduler()
                                    .repeatedly(
                                            coordinator::tick,
                                            Coordinator.ADMISSION_TICK,
                                            Coordinator.ADMISSION_TICK.multipliedBy(5))
                            ::cancel;
            parts.add(ticks);
            inquiries = newInquiries();
            maintenance =
                    new Maintenance(
                            options,
                            runtime,
                            new Maintenance.Own(
                                    data,
                                    store,
                                    keyspaces.records(),
                                    local,
                                    membership,
                                    topology,
                                    epochs),
                            placement,
                            transport,
                            coordinator,
                            parts);
            events.listener(maintenance.healing());
            door =
                    new PeerDoor(
                            identity,
                            voting::answer,
                            deadlines,
                            runtime.ticker(),
                            transport::onMessageFrom,
                            new SlowRequests(
                                    options.get(NodeOption.SLOW_OPERATION),
                                    topology,
                                    runtime.ticker()));
            topology.beforeInstalled(
                    next -> {
                        List<Member> both = new ArrayList<>(topology.current().members());
                        both.addAll(next.members());
                        door.receiveFrom(both);
                    });
            topology.whenInstalled(next -> door.receiveFrom(next.members()));
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void changed(List<Long> waits) {
        coordinator.waits().changed(waits);
    }

    private @Nullable Replica peer(int number) {
        for (Peer peer : transport.peers()) {
            if (peer.member().number() == number) {
                return peer;
            }
        }
        return null;
    }

    private ExpiryTime newExpiryTime() {
        ExpiryTime expiry = new ExpiryTime(runtime.ticker(), () -> topology.current().size());
        AutoCloseable samples =
                runtime.scheduler().every(ExpiryTime.SAMPLE_EVERY, expiry::sample)::cancel;
        parts.add(samples);
        return expiry;
    }

    private ClockReservation openClock(DataDirectory data) throws IOException {
        return ClockReservation.open(
                effects.files(),
                data.path(),
                runtime.ticker(),
                options.self().number(),
                store.newestTimestamp(),
                CLOCK_AHEAD,
                options.get(NodeOption.MAX_CLOCK_DRIFT));
    }

    /** The seal; random in a cluster of one, so that no client of its peer port knows it. */
    private Supplier<FrameSeal> seals(@Nullable Supplier<Secret> secret) {
        if (secret != null) {
            return () -> secret.get().seal();
        }
        byte[] unknown = new byte[FrameSeal.BYTES];
        runtime.random().nextBytes(unknown);
        FrameSeal seal = new FrameSeal(unknown);
        return () -> seal;
    }

    private Handoff handoff(DataDirectory data) {
        return new Handoff(
                new HandoffOptions(
                        options.get(NodeOption.HINT_WINDOW),
                        options.get(NodeOption.HINT_BYTES),
                        options.get(NodeOption.HINT_RATE),
                        Runtime.getRuntime().maxMemory() / HINTS_IN_HEAP),
                effects.files(),
                data.hints(),
                listener ->
                        effects.store()
                                .open(
                                        data.hints(),
                                        Handoff.storeOptions(options.storage()),
                                        runtime.ticker()::wallMillis,
                                        listener),
                placement,
                runtime,
                largeValues);
    }

    private Coordinator newCoordinator(Deadlines deadlines) {
        return new Coordinator(
                new ClusterReplicas(
                        topology,
                        placement.current().before(),
                        new VotingReplica(
                                local.readingBy(
                                        new ShareOfReads(runtime.blocking(), MAX_WAITING_READS)),
                                membership,
                                runtime),
                        transport::peers),
                reservation.clock(),
                runtime,
                deadlines,
                CoordinatorOptions.forTimeout(options.get(NodeOption.REQUEST_TIMEOUT)),
                largeValues,
                handoff);
    }

    private Membership newMembership(DataDirectory data, long gcWatermarkMillis)
            throws IOException {
        return new Membership(
                topology,
                options.self(),
                new Past(
                        condition(data.standing()),
                        options.get(NodeOption.TRUST_EMPTY_DISK),
                        data.generation(),
                        data.known(),
                        gcWatermarkMillis),
                runtime.random().nextLong(),
                slack(),
                runtime.ticker(),
                new Membership.Disk() {
                    @Override
                    public long storedBytes() {
                        return store.figures().count("sstable_size_bytes")
                                + store.figures().count("memtable_size_bytes");
                    }

                    @Override
                    public long freeBytes() {
                        return store.figures().count("disk_free_bytes")
                                - options.storage().reservedDiskBytes();
                    }
                });
    }

    /** A member with data votes once another has confirmed that it knows no later life of it. */
    private Condition condition(Standing standing) {
        boolean confirmed =
                topology.current().size() == 1 || options.get(NodeOption.TRUST_EMPTY_DISK);
        return switch (standing) {
            case NEW -> Condition.EMPTY;
            case REBUILDING -> Condition.REBUILDING;
            case WHOLE -> confirmed ? Condition.WHOLE : Condition.RETURNING;
        };
    }

    /**
     * Maximum age of a write when a replica first receives it: as a hint at the end of its window,
     * from a clock that is behind, after the longest time in transit.
     */
    private Duration slack() {
        return options.get(NodeOption.HINT_WINDOW)
                .plus(options.get(NodeOption.REQUEST_TIMEOUT).multipliedBy(2))
                .plus(options.get(NodeOption.MAX_CLOCK_DRIFT).plus(CLOCK_AHEAD).multipliedBy(2));
    }

    private Inquiries newInquiries() {
        return new Inquiries(
                placement,
                () -> {
                    List<Replica> members = new ArrayList<>(transport.peers());
                    members.add(local);
                    return members;
                },
                runtime.ticker(),
                options.get(NodeOption.REQUEST_TIMEOUT),
                options.get(NodeOption.MAX_CLOCK_DRIFT).plus(CLOCK_AHEAD));
    }

    /**
     * How long to wait before {@link #startClock}, in milliseconds: after a crash, until this
     * node's clock is not ahead of the others'.
     */
    public long catchUpMillis() {
        return reservation.catchUpMillis();
    }

    /**
     * Lets the clock stamp. From now on the peer endpoint may be open.
     *
     * @param timer runs nothing else: without a renewal all writes are refused
     * @throws IOException if the disk fails
     */
    public void startClock(Scheduler timer) throws IOException {
        reservation.start(timer, effects.clockRenewal());
    }

    /** Connects to the peers. They connect back at once, so the peer endpoint must be open. */
    public void seekPeers() {
        transport.start();
        maintenance.start();
        if (transport.peers().isEmpty()) {
            return;
        }
        handoff.start(destinations());
    }

    private List<Handoff.Destination> destinations() {
        List<Handoff.Destination> members = new ArrayList<>();
        members.add(new Handoff.Destination(local, () -> true));
        for (Peer peer : transport.peers()) {
            members.add(new Handoff.Destination(peer, peer::isUp));
        }
        return members;
    }

    /** The store of the data that clients write. */
    public KeyValueStore store() {
        return store;
    }

    /** The figures of the store, the coordinator and the peer endpoint. */
    public Figures figures() {
        Figures figures = new Figures();
        figures.addAll(store.figures());
        figures.addAll(coordinator.figures());
        figures.addAll(door.figures());
        figures.addAll(notices.figures());
        return figures;
    }

    /** Durations of the store's log. */
    public LogTimes logTimes() {
        return events.logTimes();
    }

    /** The owners of keys in the topology that this node uses. */
    public LivePlacement placement() {
        return placement;
    }

    /** Serves clients' operations. */
    public Coordinator coordinator() {
        return coordinator;
    }

    /** Serves peers' requests. */
    public PeerDoor peerDoor() {
        return door;
    }

    /** Stores and replays hints for other members. */
    public Handoff handoff() {
        return handoff;
    }

    /** Compares with peers and repairs differences. */
    public Repairs repairs() {
        return maintenance.repairs();
    }

    /** Fetches damaged ranges from other members. */
    public Healing healing() {
        return maintenance.healing();
    }

    /** Asks all members for their entries of a key. */
    public Inquiries inquiries() {
        return inquiries;
    }

    public LiveTopology topology() {
        return topology;
    }

    /** Agrees with the other members on the next topology. */
    public Epochs epochs() {
        return epochs;
    }

    /** Decides whether this member votes. */
    public Membership membership() {
        return membership;
    }

    /**
     * Announces to the others whether this member is about to stop. It answers until it is closed.
     */
    public void announceStop(boolean isStopping) {
        membership.setStopping(isStopping);
        maintenance.announce();
    }

    /** Number of members that are up and vote, as far as this node knows, including itself. */
    public int voters() {
        int voters = membership.votes() ? 1 : 0;
        for (Peer peer : transport.peers()) {
            if (peer.isUp() && membership.others().votes(peer.member().number())) {
                voters++;
            }
        }
        return voters;
    }

    public PeerTransport transport() {
        return transport;
    }

    /** Closes everything; operations in progress fail. */
    @Override
    public void close() {
        parts.close();
    }
}
