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
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.DurationHistogram;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.PeerLink.Reply;
import dev.quorate.router.transport.PeerLink.Sent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchanges with one peer: decides whether requests may be sent. An {@link Exchange} encodes
 * and sends a batch of them, reads the reply, and updates the peer's health.
 */
final class PeerContact {

    private static final Logger LOG = LoggerFactory.getLogger(PeerContact.class);

    /** Maximum bytes of a reply in a small lane, including the overhead of each operation. */
    private static final int MAX_SMALL_REPLY_BYTES = 2 * PeerCodec.MAX_ANSWER_BYTES;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private static final Duration LEARNS_WITHIN = Duration.ofMillis(20);

    private final Member member;
    private final Identity identity;

    private final int memberNumber;

    private final int ownNumber;
    private final TransportOptions options;
    private final Ticker ticker;
    private final Scheduler scheduler;
    final PeerWatch watch;
    private volatile PeerLink link;
    private final ByteBudget largeValues;
    private final ReplyReader reader;
    private final Map<Lane, ExchangeNumbers> numbers = new EnumMap<>(Lane.class);

    /** Durations of answered exchanges of reads and writes. */
    final DurationHistogram exchangeTimes = new DurationHistogram();

    /** Times for which reads and writes were queued. */
    final DurationHistogram queueTimes = new DurationHistogram();

    final AtomicBoolean telling = new AtomicBoolean();

    private volatile boolean closed;

    PeerContact(
            Member member,
            PeerLink link,
            Identity identity,
            TransportOptions options,
            NodeRuntime runtime,
            ByteBudget largeValues,
            Runnable whenBehind) {
        this.member = member;
        this.link = link;
        this.identity = identity;
        this.memberNumber = member.number();
        this.ownNumber = identity.self().number();
        this.options = options;
        this.ticker = runtime.ticker();
        this.scheduler = runtime.scheduler();
        this.watch =
                new PeerWatch(
                        member.name(),
                        new Breaker(options.failuresToOpen(), ticker, runtime.random()),
                        ticker,
                        runtime.events());
        this.largeValues = largeValues;
        for (Lane lane : Lane.values()) {
            numbers.put(lane, new ExchangeNumbers(identity.clock()));
        }
        this.reader = new ReplyReader(identity, member, watch, numbers, whenBehind);
    }

    /**
     * Continues after the peer was told this node's topology.
     *
     * @param resume called with whether the peer uses it; later if it does not know the cluster yet
     */
    void told(ReplicaAnswer answer, Consumer<Boolean> resume) {
        boolean learns = answer instanceof Failed failed && failed.reason() == Failure.STALE;
        Runnable continuing =
                () -> {
                    telling.set(false);
                    resume.accept(learns || answer instanceof ReplicaAnswer.Announced);
                };
        if (learns) {
            scheduler.after(LEARNS_WITHIN, continuing);
        } else {
            continuing.run();
        }
    }

    long nanos() {
        return ticker.nanos();
    }

    void after(Duration delay, Runnable task) {
        var _ = scheduler.after(delay, task);
    }

    /** How far the peer's clock was ahead of this node's at its last reply, in milliseconds. */
    long clockAheadMillis() {
        return reader.clockAheadMillis();
    }

    /** The peer's life, as its last reply names it. */
    long life() {
        return reader.life();
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

    /** The topology that this node uses now. */
    Topology topology() {
        return identity.topology();
    }

    /** Whether the peer is being told this node's topology, so that it would refuse requests. */
    boolean isTelling() {
        return telling.get();
    }

    /** Uses another link from now on, made from the current one. */
    void use(UnaryOperator<PeerLink> next) {
        link = next.apply(link);
    }

    void seek(Runnable whenFound) {
        link.seek(whenFound);
    }

    boolean isClosed() {
        return closed;
    }

    /** Cancels exchanges in flight; later requests fail. */
    void close() {
        closed = true;
        link.close();
    }

    private enum Phase {
        SENDING,
        IN_FLIGHT,
        COMPLETE
    }

    /**
     * One batch of requests to the peer, and the reply.
     *
     * <p>A link may complete an exchange before the call that sends it returns: when it is shut
     * down, or the answer is very fast. Continuing from there would nest each exchange in the call
     * stack of the previous one. So {@link #send} returns whether the exchange is complete already.
     * If it is, the caller continues; otherwise the completion does.
     */
    final class Exchange implements PeerLink.Receiver {

        final Lane lane;

        /** The requests; empty once {@linkplain #forget forgotten}. */
        volatile List<PendingRequest> pending;

        /** The latest deadline of its operations. */
        final long deadlineNanos;

        private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.SENDING);
        private volatile @Nullable Sent sent;

        /** Whether a result was reported: a link may report both a reply and a cancellation. */
        private final AtomicBoolean hasEnded = new AtomicBoolean();

        /** Written before the exchange is passed to the link. */
        private Runnable whenComplete = () -> {};

        /** Seals the request and its pass, and checks the answer: secrets may change meanwhile. */
        private final FrameSeal seal = identity.seal();

        /** The seal of the request, which the seal of the answer covers. */
        private byte[] requestSeal = {};

        /** The seal of the last pass, to which a refusal may be bound instead; empty for none. */
        private volatile byte[] passSeal = {};

        /** The peer's life that the frames were encoded for. */
        private volatile long recipientLife;

        private final long fingerprint;

        /** The memory budget of a large reply; null before the send and after the release. */
        private @Nullable ByteBudget budget;

        /** Guarded by {@code this}, like the budget. */
        private long reservedBytes;

        /**
         * Whether the peer executed nothing, because the frame was for another life or topology.
         * Used only by the thread that completes the exchange.
         */
        boolean isResent;

        /** The result. Written before {@link #phase} becomes complete, and read after. */
        private @Nullable Reply reply;

        /** The failure; null if there is a reply. */
        @Nullable Throwable error;

        /** Creates an exchange that is encoded in a topology. */
        Exchange(Lane lane, List<PendingRequest> pending, long deadlineNanos, Topology topology) {
            this.lane = lane;
            this.pending = pending;
            this.deadlineNanos = deadlineNanos;
            this.fingerprint = Identity.fingerprint(topology, lane);
        }

        /**
         * Sends the requests.
         *
         * @param whenComplete runs on completion, on any thread, unless this method returns true
         * @return whether the exchange is complete already
         */
        boolean send(Runnable whenComplete) {
            this.whenComplete = whenComplete;
            recipientLife = reader.life();
            budget = largeValues;
            int maxReplyBytes = lane.takesLarge() ? options.maxReplyBytes() : MAX_SMALL_REPLY_BYTES;
            sent = link.send(new PeerLink.Message(lane, frame(), this::pass, maxReplyBytes), this);
            return !phase.compareAndSet(Phase.SENDING, Phase.IN_FLIGHT);
        }

        private List<byte[]> frame() {
            FrameHeader header = header();
            PendingRequest first = pending.size() == 1 ? pending.getFirst() : null;
            if (first != null
                    && lane.takesLarge()
                    && first.request instanceof ReplicaRequest.Write write
                    && first.bytes > TransportOptions.LARGE_BYTES
                    && write.entry().valueBytes() > 0) {
                // The value is in memory already, in the budget of the client's request.
                List<byte[]> parts = PeerCodec.encodeLargeWrite(header, write, first.trace, seal);
                requestSeal = parts.getLast();
                return parts;
            }
            List<ReplicaRequest> requests = new ArrayList<>(pending.size());
            for (PendingRequest each : pending) {
                requests.add(each.inMessage());
            }
            byte[] whole = PeerCodec.encodeRequests(header, requests, seal);
            requestSeal = FrameSeal.of(whole);
            return List.of(whole);
        }

        /** Creates a pass, which precedes a frame that opens a connection or is a POST's body. */
        private byte[] pass() {
            byte[] pass = PeerCodec.encodeRequests(header(), List.of(), seal);
            passSeal = FrameSeal.of(pass);
            return pass;
        }

        private FrameHeader header() {
            long remainingMillis =
                    (deadlineNanos - ticker.nanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
            long number = Objects.requireNonNull(numbers.get(lane)).next();
            return new FrameHeader(
                    FrameHeader.Kind.REQUESTS,
                    lane,
                    fingerprint,
                    ownNumber,
                    memberNumber,
                    identity.clock().reading(),
                    number,
                    recipientLife,
                    Math.clamp(remainingMillis, 1, Integer.MAX_VALUE));
        }

        @Override
        public synchronized boolean reserve(long bytes) {
            if (budget == null || !budget.tryReserve(bytes)) {
                return false;
            }
            reservedBytes += bytes;
            return true;
        }

        /** Releases the memory of the reply; no more is reserved. */
        private synchronized void release() {
            if (budget != null) {
                budget.release(reservedBytes);
                budget = null;
            }
        }

        @Override
        public void received(Reply got) {
            end(got, null);
        }

        @Override
        public void failed(Throwable why) {
            end(null, why);
        }

        private void end(@Nullable Reply got, @Nullable Throwable failure) {
            if (!hasEnded.compareAndSet(false, true)) {
                return;
            }
            reply = got;
            error = failure;
            if (phase.getAndSet(Phase.COMPLETE) == Phase.IN_FLIGHT) {
                whenComplete.run();
            }
        }

        /** Closes the connection and fails the exchange, unless it is complete. */
        void cancel() {
            Sent underWay = sent;
            if (underWay != null) {
                underWay.cancel();
            }
        }

        /**
         * Reads the reply: one answer for each request; null where an answer did not fit, or if the
         * exchange {@link #isResent}. Updates the peer's health. Call it once, after completion.
         */
        List<@Nullable ReplicaAnswer> read() {
            List<@Nullable ReplicaAnswer> answers =
                    closed
                            ? Collections.nCopies(
                                    pending.size(),
                                    new Failed(Failure.UNREACHABLE, "this node is stopping"))
                            : readAny();
            release();
            if ((error != null || watch.standing() == PeerStanding.REFUSED) && !closed) {
                // Its address may have changed, or be another member's: find it before the next
                // probe.
                link.seek(watch::onMessage);
            }
            return answers;
        }

        private List<@Nullable ReplicaAnswer> readAny() {
            try {
                Reply got = reply;
                reply = null; // a large value must not be in memory twice
                List<@Nullable ReplicaAnswer> answers =
                        got == null
                                ? reader.failed(pending, error)
                                : reader.read(
                                        got,
                                        pending,
                                        new ReplyReader.Sent(
                                                seal,
                                                requestSeal,
                                                passSeal,
                                                recipientLife,
                                                fingerprint));
                isResent = answers == null;
                return answers == null ? Collections.nCopies(pending.size(), null) : answers;
            } catch (RuntimeException e) {
                // A bug. The HTTP client would swallow the exception, and the lane would hang.
                LOG.error("An answer of {} could not be read", member.name(), e);
                watch.failed("its answer could not be read");
                return Collections.nCopies(
                        pending.size(), new Failed(Failure.FAILED, e.toString()));
            }
        }

        /** Frees the answered operations: the JDK's connections keep the exchange reachable. */
        void forget() {
            pending = List.of();
        }
    }
}
