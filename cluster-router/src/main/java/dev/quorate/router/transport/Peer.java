package dev.quorate.router.transport;

import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.health.PeerWatch;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.Member;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Another node, as a replica of the keys that it owns: its lanes, its link and its health. Answers
 * are read and delivered on the link's threads, which must not block.
 */
public final class Peer implements Replica {

    /**
     * Delay between an exchange's deadline and its cancellation: at the deadline the peer sends a
     * partial reply, which is more useful than a closed connection.
     */
    private static final long GRACE_NANOS = 100_000_000;

    /** Time between two sweeps of the lanes that no client uses, whose deadlines are long. */
    private static final long ALL_LANES_NANOS = 80_000_000;

    private static final long PROBE_TIMEOUT_NANOS = 1_000_000_000;

    private static final long TELL_TIMEOUT_NANOS = 1_000_000_000;

    private volatile Member member;
    private final PeerContact contact;
    private final PeerWatch watch;
    private final Map<Lane, PeerLane> lanes = new EnumMap<>(Lane.class);

    /** Used by {@link #sweep} alone, which one thread at a time calls. */
    private long sweptAllNanos;

    private final Replica askedEvenIfLate;

    /** The probe in flight; null if there is none. */
    private final AtomicReference<PeerContact.@Nullable Exchange> probe = new AtomicReference<>();

    Peer(
            Member member,
            PeerLink link,
            Identity identity,
            TransportOptions options,
            NodeRuntime runtime,
            ByteBudget largeValues) {
        this.member = member;
        this.contact =
                new PeerContact(member, link, identity, options, runtime, largeValues, this::tell);
        this.watch = contact.watch;
        this.sweptAllNanos = contact.nanos();
        for (Lane lane : Lane.values()) {
            lanes.put(
                    lane,
                    new PeerLane(contact, lane, options, pending -> offer(Lane.BULK, pending)));
        }
        this.askedEvenIfLate = asked(null, true);
    }

    @Override
    public Member member() {
        return member;
    }

    /**
     * Sends a request. The callback is called exactly once, on any thread, perhaps before this
     * method returns, and at the latest shortly after the deadline.
     *
     * @param deadlineNanos in {@code Ticker.nanos} time
     */
    @Override
    public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        send(request, deadlineNanos, null, false, callback);
    }

    /**
     * Sends a request, unless the peer is considered down.
     *
     * @param lane null for the lane of the request's kind
     * @param insists whether to send it even to a peer that is considered down because of late
     *     answers
     */
    private void send(
            ReplicaRequest request,
            long deadlineNanos,
            @Nullable Lane lane,
            boolean insists,
            AnswerCallback callback) {
        if (!contact.mayAsk() && !(insists && contact.isSuspected())) {
            callback.answered(contact.notAsked());
            return;
        }
        PendingRequest pending =
                new PendingRequest(request, contact.nanos(), deadlineNanos, insists, callback);
        offer(lane == null ? laneOf(pending) : lane, pending);
    }

    @Override
    public boolean isGivenUp() {
        return !contact.mayAsk();
    }

    @Override
    public long knownLife() {
        return contact.life();
    }

    @Override
    public Replica evenIfLate() {
        return contact.mayAsk() ? this : askedEvenIfLate;
    }

    @Override
    public boolean isJoinable(Lane lane) {
        return lane(lane).isJoinable();
    }

    @Override
    public boolean isSlow(long nowNanos, long longerThanNanos) {
        return lane(Lane.READ).isSlow(nowNanos, longerThanNanos);
    }

    /**
     * This peer, with all requests in the repair lane, so that background work does not delay
     * clients.
     */
    public Replica forRepair() {
        return asked(Lane.REPAIR, false);
    }

    private Replica asked(@Nullable Lane lane, boolean insists) {
        return new Replica() {
            @Override
            public Member member() {
                return member;
            }

            @Override
            public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
                send(request, deadlineNanos, lane, insists, callback);
            }
        };
    }

    private Lane laneOf(PendingRequest pending) {
        return switch (pending.request) {
            case ReplicaRequest.Traced traced -> throw new IllegalArgumentException("traced here");
            case ReplicaRequest.Read _, ReplicaRequest.ReadDigest _, ReplicaRequest.Watch _ ->
                    Lane.READ;
            case ReplicaRequest.Write _, ReplicaRequest.ToAcceptor _ ->
                    pending.bytes > TransportOptions.LARGE_BYTES ? Lane.BULK : Lane.WRITE;
            case ReplicaRequest.ScanPage _, ReplicaRequest.Inquire _ -> Lane.BULK;
            case ReplicaRequest.ScanReadable _,
                    ReplicaRequest.Compare _,
                    ReplicaRequest.StreamPage _,
                    ReplicaRequest.StreamRecords _ ->
                    Lane.REPAIR;
            case ReplicaRequest.Announce _,
                    ReplicaRequest.Propose _,
                    ReplicaRequest.Tell _,
                    ReplicaRequest.Changed _ ->
                    Lane.CONTROL;
        };
    }

    private void offer(Lane lane, PendingRequest pending) {
        if (!lane(lane).offer(pending)) {
            pending.fail(Failure.OVERLOADED, "too much is queued for " + member.name());
        }
    }

    private PeerLane lane(Lane lane) {
        return Objects.requireNonNull(lanes.get(lane));
    }

    /** Whether the peer's last exchange was answered, and operations may be sent. */
    public boolean isUp() {
        return contact.mayAsk() && watch.standing() == PeerStanding.UP;
    }

    /** The peer's state, as this node sees it. */
    public PeerStanding standing() {
        return watch.standing();
    }

    /** Notes that an authentic exchange of the peer has arrived: it is up. */
    void onMessage() {
        watch.onMessage();
    }

    void start() {
        contact.seek(this::probe);
    }

    /**
     * Reaches the peer at another address: at once if it is down.
     *
     * @param link makes the new link from the current one
     */
    void move(Member next, UnaryOperator<PeerLink> link) {
        member = next;
        contact.use(link);
        if (!contact.mayAsk()) {
            start();
        }
    }

    /** Tells the peer this node's topology. Until it uses it, its other lanes wait. */
    private void tell() {
        if (!contact.telling.compareAndSet(false, true)) {
            return;
        }
        ask(
                new ReplicaRequest.Tell(contact.topology().canonicalText()),
                contact.nanos() + TELL_TIMEOUT_NANOS,
                answer ->
                        contact.told(
                                answer, uses -> lanes.values().forEach(lane -> lane.resume(uses))));
    }

    /**
     * Checks deadlines, and probes a quiet peer.
     *
     * @param quietNanos how long a peer may be silent before it is probed
     * @return whether the next call must come soon
     */
    boolean sweep(long quietNanos) {
        long now = contact.nanos();
        boolean isBusy = !isUp();
        boolean sweepsAll = now - sweptAllNanos >= ALL_LANES_NANOS;
        sweptAllNanos = sweepsAll ? now : sweptAllNanos;
        for (Map.Entry<Lane, PeerLane> each : lanes.entrySet()) {
            if (sweepsAll || each.getKey().isForClients()) {
                isBusy |= each.getValue().sweep(now, GRACE_NANOS);
            }
        }
        PeerContact.Exchange probing = probe.get();
        if (probing != null) {
            if (now - probing.deadlineNanos >= 0) {
                probing.cancel();
            }
        } else if (watch.takeProbe() || (watch.mayAsk() && watch.quietNanos() >= quietNanos)) {
            probe();
        }
        return isBusy;
    }

    /** Sends an exchange without operations, outside the lanes. */
    private void probe() {
        PeerContact.Exchange exchange =
                contact
                .new Exchange(
                        Lane.READ,
                        List.of(),
                        contact.nanos() + PROBE_TIMEOUT_NANOS,
                        contact.topology());
        if (contact.isClosed() || !probe.compareAndSet(null, exchange)) {
            return;
        }
        if (exchange.send(() -> probed(exchange))) {
            probed(exchange);
        }
    }

    private void probed(PeerContact.Exchange exchange) {
        var _ = exchange.read();
        probe.set(null);
        if (exchange.isResent && !contact.isTelling()) {
            probe();
        }
    }

    /** The peer's current health, as this node sees it. */
    public PeerHealth health() {
        return new PeerHealth(
                member.name(),
                watch.standing(),
                watch.sinceMillis(),
                watch.lastError(),
                contact.mayAsk(),
                (int) sum(LaneQueue::operations),
                sum(LaneQueue::bytes),
                sum(LaneQueue::exchangesSent),
                sum(LaneQueue::operationsSent),
                contact.clockAheadMillis(),
                contact.exchangeTimes.counts(),
                contact.queueTimes.counts());
    }

    private long sum(ToLongFunction<LaneQueue> figure) {
        return lanes.values().stream().mapToLong(lane -> lane.figure(figure)).sum();
    }

    /** Cancels exchanges in flight; later requests fail. */
    void close() {
        contact.close();
        sweep(Long.MAX_VALUE);
    }
}
