package dev.quorate.router.transport;

import dev.quorate.router.health.Breaker;
import dev.quorate.router.health.PeerWatch;
import dev.quorate.router.message.FrameHeader;
import dev.quorate.router.message.FrameSeal;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.DurationCounts;
import dev.quorate.router.runtime.DurationHistogram;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchanges with one peer: decides whether requests may be sent, encodes and sends exchanges,
 * reads replies, and updates the peer's health.
 */
final class PeerContact {

    private static final Logger LOG = LoggerFactory.getLogger(PeerContact.class);

    /** Maximum bytes of a reply in a small lane, including the overhead of each operation. */
    private static final int MAX_SMALL_REPLY_BYTES = 2 * PeerCodec.MAX_ANSWER_BYTES;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Member member;
    private final Identity identity;

    /** The peer's number, a hash. */
    private final int memberNumber;

    private final int ownNumber;
    private final TransportOptions options;
    private final Ticker ticker;
    private final PeerWatch watch;
    private final PeerLink link;
    private final ByteBudget largeValues;
    private final ReplyReader reader;
    private final Map<Lane, ExchangeNumbers> numbers = new EnumMap<>(Lane.class);
    private final PeerLife life = new PeerLife();
    private final DurationHistogram times = new DurationHistogram();
    private final DurationHistogram queueTimes = new DurationHistogram();
    private volatile boolean closed;

    PeerContact(
            Member member,
            PeerLink link,
            Identity identity,
            TransportOptions options,
            NodeRuntime runtime,
            ByteBudget largeValues) {
        this.member = member;
        this.link = link;
        this.identity = identity;
        this.memberNumber = member.number();
        this.ownNumber = identity.self().number();
        this.options = options;
        this.ticker = runtime.ticker();
        this.watch =
                new PeerWatch(
                        member.name(),
                        new Breaker(options.breaker(), ticker, runtime.random()),
                        ticker,
                        runtime.events());
        this.largeValues = largeValues;
        for (Lane lane : Lane.values()) {
            numbers.put(lane, new ExchangeNumbers(identity.clock()));
        }
        this.reader = new ReplyReader(identity, member, watch, numbers, life);
    }

    long nanos() {
        return ticker.nanos();
    }

    PeerWatch watch() {
        return watch;
    }

    /** How far the peer's clock was ahead of this node's at its last reply, in milliseconds. */
    long clockAheadMillis() {
        return reader.clockAheadMillis();
    }

    /** Records the duration of an exchange. */
    void took(long nanos) {
        times.record(nanos);
    }

    /** Records the time that an operation was queued. */
    void waited(long nanos) {
        queueTimes.record(nanos);
    }

    DurationCounts queueTimes() {
        return queueTimes.counts();
    }

    DurationCounts exchangeTimes() {
        return times.counts();
    }

    /** Whether requests may be sent to the peer. */
    boolean mayAsk() {
        return !closed && watch.mayAsk();
    }

    /** Whether the peer is considered down only because of late answers. */
    boolean isSuspected() {
        return !closed && watch.isSuspected();
    }

    /** The failure of a request while {@link #mayAsk} is false. */
    Failed notAsked() {
        if (closed) {
            return new Failed(Failure.STOPPING, "this node is stopping");
        }
        return watch.standing() == PeerStanding.REFUSED
                ? new Failed(Failure.REFUSED, watch.lastError())
                : new Failed(Failure.BREAKER_OPEN, watch.lastError());
    }

    void seek(Runnable whenFound) {
        link.seek(whenFound);
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
            // The value is in memory already, in the budget of the client's request.
            TraceParent trace = exchange.pending.getFirst().trace;
            frame = PeerCodec.encodeLargeWrite(header, write, trace, identity.seal());
            seal = frame.getLast();
        } else {
            byte[] whole = encode(header, exchange);
            frame = List.of(whole);
            seal = FrameSeal.of(whole);
        }
        return exchange.send(
                link,
                new PeerLink.Message(
                        exchange.lane,
                        frame,
                        () -> pass(exchange),
                        exchange.lane.takesLarge()
                                ? options.maxReplyBytes()
                                : MAX_SMALL_REPLY_BYTES),
                seal,
                largeValues,
                whenComplete);
    }

    /** Creates a pass, which precedes a frame that opens a connection or is the body of a POST. */
    private byte[] pass(PeerExchange exchange) {
        FrameHeader header = header(exchange);
        byte[] pass = PeerCodec.encodeRequests(header, List.of(), identity.seal());
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
            requests.add(pending.inMessage());
        }
        return PeerCodec.encodeRequests(header, requests, identity.seal());
    }

    /**
     * Reads the reply: one answer for each request of the exchange; null where an answer did not
     * fit, or if {@link PeerExchange#leavesAgain}. Updates the peer's health.
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
        exchange.release();
        if (exchange.error() != null && !closed) {
            // The peer's address may have changed: resolve it before the next probe.
            link.seek(watch::heard);
        }
        return answers;
    }

    private List<@Nullable ReplicaAnswer> readAny(PeerExchange exchange) {
        try {
            return reader.read(exchange);
        } catch (RuntimeException e) {
            // A bug. The HTTP client would swallow the exception, and the lane would hang.
            LOG.error("An answer of {} could not be read", member.name(), e);
            watch.failed("its answer could not be read");
            return Collections.nCopies(
                    exchange.pending.size(), new Failed(Failure.FAILED, e.toString()));
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Cancels exchanges in flight; later requests fail. */
    void close() {
        closed = true;
        link.close();
    }
}
