package dev.quorate.node.transport;

import dev.quorate.node.runtime.Ticker;
import dev.quorate.node.health.Breaker;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.node.health.PeerStanding;
import dev.quorate.node.health.PeerWatch;
import dev.quorate.node.runtime.ByteBudget;
import dev.quorate.node.message.AnswerCallback;
import dev.quorate.node.message.FrameHeader;
import dev.quorate.node.message.FrameSeal;
import dev.quorate.node.message.Lane;
import dev.quorate.node.message.PeerCodec;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.replica.Replica;
import dev.quorate.router.topology.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One other node, as a replica of the keys it owns: its lanes, the link to it, and what is known of
 * its health. Answers are read and handed out on the link's threads: nothing there may block.
 */
public final class Peer implements Replica {

    private static final Logger LOG = LoggerFactory.getLogger(Peer.class);

    /**
     * How long after its deadline an exchange is ended: the peer answers at that deadline what it
     * can, and an answer that says "my disk is slow" is worth more than a closed connection.
     */
    private static final long GRACE_NANOS = 100_000_000;

    /** What the door lets into an answer, and what it says of each operation beside. */
    private static final int MAX_SMALL_REPLY_BYTES = 2 * DoorExchange.MAX_ANSWER_BYTES;

    private static final long PROBE_TIMEOUT_NANOS = 1_000_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Member member;
    private final Identity identity;

    /** The members' numbers, which are hashes. */
    private final int memberNumber;

    private final int ownNumber;
    private final TransportOptions options;
    private final Ticker ticker;
    private final PeerWatch watch;
    private final PeerLink link;
    private final ByteBudget largeValues;
    private final ReplyReader reader;
    private final Map<Lane, PeerLane> lanes = new EnumMap<>(Lane.class);
    private final Map<Lane, ExchangeNumbers> numbers = new EnumMap<>(Lane.class);
    private final PeerLife life = new PeerLife();
    private final Replica askedEvenIfLate;

    /** The probe in flight; null if there is none. */
    private final AtomicReference<@Nullable PeerExchange> probe = new AtomicReference<>();

    private volatile boolean closed;

    Peer(
            Member member,
            PeerLink link,
            Identity identity,
            TransportOptions options,
            Ticker ticker,
            RandomGenerator random,
            ByteBudget largeValues) {
        this.member = member;
        this.link = link;
        this.identity = identity;
        this.memberNumber = member.number();
        this.ownNumber = identity.self().number();
        this.options = options;
        this.ticker = ticker;
        this.watch =
                new PeerWatch(
                        member.name(), new Breaker(options.breaker(), ticker, random), ticker);
        this.largeValues = largeValues;
        for (Lane lane : Lane.values()) {
            lanes.put(lane, new PeerLane(this, lane, options));
            numbers.put(lane, new ExchangeNumbers(identity.clock()));
        }
        this.askedEvenIfLate = asked(this::askEvenIfLate);
        this.reader = new ReplyReader(identity, member, watch, numbers, life);
    }

    @Override
    public Member member() {
        return member;
    }

    /**
     * Asks. The callback is called exactly once, on any thread, perhaps before this returns, and at
     * the latest shortly after the deadline.
     *
     * @param deadlineNanos in {@code Ticker.nanos} time
     */
    @Override
    public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        if (!mayAsk()) {
            callback.answered(notAsked());
            return;
        }
        PendingRequest pending = new PendingRequest(request, deadlineNanos, callback);
        offer(laneOf(pending), pending);
    }

    @Override
    public boolean isGivenUp() {
        return !mayAsk();
    }

    @Override
    public Replica evenIfLate() {
        return mayAsk() ? this : askedEvenIfLate;
    }

    boolean isSuspected() {
        return !closed && watch.isSuspected();
    }

    private void askEvenIfLate(
            ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        if (!mayAsk() && !isSuspected()) {
            callback.answered(notAsked());
            return;
        }
        PendingRequest pending = new PendingRequest(request, deadlineNanos, true, callback);
        offer(laneOf(pending), pending);
    }

    @Override
    public boolean isSlow(long nowNanos, long longerThanNanos) {
        return lane(Lane.READ).isSlow(nowNanos, longerThanNanos);
    }

    long nanos() {
        return ticker.nanos();
    }

    /**
     * This peer, asked in the lane of repairs, whatever is asked: so that what can wait is not in
     * the way of what clients wait for.
     */
    public Replica forRepair() {
        return asked(
                (request, deadlineNanos, callback) -> {
                    if (mayAsk()) {
                        offer(Lane.REPAIR, new PendingRequest(request, deadlineNanos, callback));
                    } else {
                        callback.answered(notAsked());
                    }
                });
    }

    /** How a request is put to this peer. */
    private interface Way {
        void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback);
    }

    private Replica asked(Way way) {
        return new Replica() {
            @Override
            public Member member() {
                return member;
            }

            @Override
            public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
                way.ask(request, deadlineNanos, callback);
            }
        };
    }

    private Lane laneOf(PendingRequest pending) {
        return switch (pending.request) {
            case ReplicaRequest.Read read -> Lane.READ;
            case ReplicaRequest.ReadDigest read -> Lane.READ;
            case ReplicaRequest.Write write ->
                    pending.bytes > options.largeBytes() ? Lane.BULK : Lane.WRITE;
            case ReplicaRequest.ScanPage page -> Lane.BULK;
            case ReplicaRequest.ScanReadable page -> Lane.REPAIR;
            case ReplicaRequest.Compare compare -> Lane.REPAIR;
            case ReplicaRequest.StreamPage give -> Lane.REPAIR;
            case ReplicaRequest.Inquire inquire -> Lane.BULK;
            case ReplicaRequest.Announce announce -> Lane.REPAIR;
        };
    }

    /** Its answer is too large for the lane that it was asked in. */
    void askInBulk(PendingRequest pending) {
        offer(Lane.BULK, pending);
    }

    private void offer(Lane lane, PendingRequest pending) {
        if (!lane(lane).offer(pending)) {
            pending.fail(Failure.OVERLOADED, "too much is queued for " + member.name());
        }
    }

    private PeerLane lane(Lane lane) {
        return Objects.requireNonNull(lanes.get(lane));
    }

    /** Whether there is any use in asking. */
    boolean mayAsk() {
        return !closed && watch.mayAsk();
    }

    /** Whether its last exchange was answered, and operations may be sent. */
    public boolean isUp() {
        return mayAsk() && watch.standing() == PeerStanding.UP;
    }

    /** What is answered while there is none. */
    Failed notAsked() {
        if (closed) {
            return new Failed(Failure.STOPPING, "this node is stopping");
        }
        return watch.standing() == PeerStanding.REFUSED
                ? new Failed(Failure.REFUSED, watch.lastError())
                : new Failed(Failure.BREAKER_OPEN, watch.lastError());
    }

    /** See {@link PeerExchange#send}. */
    boolean send(PeerExchange exchange, Runnable whenComplete) {
        exchange.meantFor(life.known());
        FrameHeader header = header(exchange);
        List<byte[]> frame;
        byte[] seal;
        ReplicaRequest first =
                exchange.pending.size() == 1 ? exchange.pending.getFirst().request : null;
        if (exchange.lane.takesLarge()
                && first instanceof ReplicaRequest.Write write
                && exchange.pending.getFirst().bytes > options.largeBytes()
                && write.entry().valueBytes() > 0) {
            // The client may have its answer while the value is still on its way to this peer.
            if (!exchange.reserve(largeValues, write.entry().valueBytes())) {
                exchange.abandon(new NoRoomException());
                return true;
            }
            frame = PeerCodec.encodeLargeWrite(header, write, identity.seal());
            seal = frame.getLast();
        } else {
            byte[] whole = encode(header, exchange);
            frame = List.of(whole);
            seal = FrameSeal.of(whole);
        }
        return exchange.send(
                link,
                new PeerLink.Message(exchange.lane, frame, () -> pass(exchange)),
                seal,
                exchange.lane.takesLarge() ? options.maxReplyBytes() : MAX_SMALL_REPLY_BYTES,
                bytes -> bytes <= ReplyBody.LARGE_BYTES || exchange.reserve(largeValues, bytes),
                whenComplete);
    }

    /** What goes ahead of its frame where that opens a connection, or has a body. */
    private byte[] pass(PeerExchange exchange) {
        byte[] pass = PeerCodec.encodeRequests(header(exchange), List.of(), identity.seal());
        exchange.passedWith(FrameSeal.of(pass));
        return pass;
    }

    private FrameHeader header(PeerExchange exchange) {
        long remainingMillis =
                (exchange.deadlineNanos - ticker.nanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
        long number = Objects.requireNonNull(numbers.get(exchange.lane)).next();
        return new FrameHeader(
                FrameHeader.Kind.REQUESTS,
                exchange.lane,
                identity.topology().fingerprint(),
                ownNumber,
                memberNumber,
                identity.clock().reading(),
                number,
                exchange.life(),
                Math.clamp(remainingMillis, 1, Integer.MAX_VALUE));
    }

    private byte[] encode(FrameHeader header, PeerExchange exchange) {
        List<ReplicaRequest> requests = new ArrayList<>(exchange.pending.size());
        for (PendingRequest pending : exchange.pending) {
            requests.add(pending.request);
        }
        return PeerCodec.encodeRequests(header, requests, identity.seal());
    }

    /**
     * What came back, one for each request of the exchange; null where an answer did not fit, or if
     * {@link PeerExchange#leavesAgain}. Notes what that says about the peer's health.
     */
    List<@Nullable ReplicaAnswer> read(PeerExchange exchange) {
        List<@Nullable ReplicaAnswer> answers;
        if (closed) {
            answers =
                    Collections.nCopies(
                            exchange.pending.size(),
                            new Failed(Failure.UNREACHABLE, "this node is stopping"));
        } else {
            answers = readAny(exchange);
        }
        exchange.release(largeValues);
        if (exchange.error() != null && !closed) {
            // Where it is now may be where it can be reached: no need to wait for the next probe.
            link.seek(watch::heard);
        }
        return answers;
    }

    private List<@Nullable ReplicaAnswer> readAny(PeerExchange exchange) {
        try {
            return reader.read(exchange);
        } catch (RuntimeException e) {
            // A bug. Nobody sees what is thrown into the HTTP client, and the lane would stand.
            LOG.error("An answer of {} could not be read", member.name(), e);
            watch.failed("its answer could not be read");
            return Collections.nCopies(
                    exchange.pending.size(), new Failed(Failure.FAILED, e.toString()));
        }
    }

    /** A genuine exchange of the peer has arrived: it is back, if it was gone. */
    void heard() {
        watch.heard();
    }

    /** Begins to look for the peer. */
    void start() {
        link.seek(this::probe);
    }

    /** Called every few milliseconds: watches the deadlines, and probes a quiet peer. */
    void sweep() {
        long now = ticker.nanos();
        for (PeerLane lane : lanes.values()) {
            lane.sweep(now, GRACE_NANOS);
        }
        PeerExchange probing = probe.get();
        if (probing != null) {
            if (now - probing.deadlineNanos >= 0) {
                probing.cancel();
            }
        } else if (watch.takeProbe()
                || (watch.mayAsk() && watch.quietNanos() >= options.quiet().toNanos())) {
            probe();
        }
    }

    /** Sends an exchange without operations, beside the lanes. */
    private void probe() {
        PeerExchange exchange =
                new PeerExchange(Lane.READ, List.of(), ticker.nanos() + PROBE_TIMEOUT_NANOS);
        if (closed || !probe.compareAndSet(null, exchange)) {
            return;
        }
        if (send(exchange, () -> probed(exchange))) {
            probed(exchange);
        }
    }

    private void probed(PeerExchange exchange) {
        var _ = read(exchange);
        probe.set(null);
        if (exchange.leavesAgain()) {
            probe();
        }
    }

    /** The peer, as this node sees it now. */
    public PeerHealth health() {
        int operations = 0;
        long bytes = 0;
        long exchanges = 0;
        long sent = 0;
        for (PeerLane lane : lanes.values()) {
            operations += lane.operations();
            bytes += lane.bytes();
            exchanges += lane.exchangesSent();
            sent += lane.operationsSent();
        }
        return new PeerHealth(
                member.name(),
                watch.standing(),
                watch.sinceMillis(),
                watch.lastError(),
                mayAsk(),
                operations,
                bytes,
                exchanges,
                sent,
                reader.clockAheadMillis());
    }

    /** Ends what is in flight; from now on everything fails. */
    void close() {
        closed = true;
        link.close();
        sweep();
    }
}
