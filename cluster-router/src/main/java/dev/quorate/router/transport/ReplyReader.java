package dev.quorate.router.transport;

import dev.quorate.router.health.PeerWatch;
import dev.quorate.router.message.FrameHeader;
import dev.quorate.router.message.FrameSeal;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.MalformedFrameException;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.message.RefusalReason;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Decodes a peer's replies into answers, and updates the peer's health and life. */
final class ReplyReader {

    private static final String STRANGER = "this node is not one of its members";

    private final Identity identity;
    private final int memberNumber;
    private final String memberName;
    private final PeerWatch watch;
    private final Map<Lane, ExchangeNumbers> numbers;

    /** Tells the peer this node's topology. */
    private final Runnable whenBehind;

    /**
     * The peer's current life, as known from its answers; 0 before the first. Frames contain it; a
     * restarted peer refuses them and returns its current life. Every answer is bound to its
     * request, so that an old answer cannot be replayed.
     */
    private volatile long life;

    private volatile long clockAheadMillis;

    ReplyReader(
            Identity identity,
            Member member,
            PeerWatch watch,
            Map<Lane, ExchangeNumbers> numbers,
            Runnable whenBehind) {
        this.identity = identity;
        this.memberNumber = member.number();
        this.memberName = member.name();
        this.watch = watch;
        this.numbers = numbers;
        this.whenBehind = whenBehind;
    }

    long life() {
        return life;
    }

    long clockAheadMillis() {
        return clockAheadMillis;
    }

    List<@Nullable ReplicaAnswer> failed(List<PendingRequest> pending, @Nullable Throwable error) {
        String why = describe(error);
        switch (cause(error)) {
            case NoRoomException noRoom -> {
                return overloaded(pending, why);
            }
            case CancellationException late -> watch.recordTimeout(why);
            case ConnectException refused -> watch.unreachable(why);
            case null, default -> watch.failed(why);
        }
        return all(pending, Failure.UNREACHABLE, why);
    }

    /**
     * The frame that a reply answers.
     *
     * @param key has sealed it
     * @param seal its seal
     * @param passSeal the seal of the last pass; empty for none
     * @param life the peer's life that it was for
     * @param fingerprint the topology that it was encoded in
     */
    record Sent(FrameSeal key, byte[] seal, byte[] passSeal, long life, long fingerprint) {}

    /**
     * Reads a reply: one answer for each request; null where an answer did not fit.
     *
     * @return null if the peer executed nothing, because it is in another life or topology
     */
    @Nullable List<@Nullable ReplicaAnswer> read(
            PeerLink.Reply reply, List<PendingRequest> pending, Sent sent) {
        return switch (reply.status()) {
            case 200, 409 -> readFrame(reply.body(), pending, sent);
            case 403 -> refused(pending, "it does not accept this node's frames: another secret?");
            case 400 -> refused(pending, "it does not speak this node's protocol");
            case 503 -> unavailable(pending);
            default -> {
                String why = "it answers " + reply.status();
                watch.failed(why);
                yield all(pending, Failure.FAILED, why);
            }
        };
    }

    /**
     * The peer has no memory for the exchange, or for the reply after it has executed the
     * operations. Such a peer is up, unless it refuses even a probe.
     */
    private List<@Nullable ReplicaAnswer> unavailable(List<PendingRequest> pending) {
        String why = "it answers 503";
        if (pending.isEmpty()) {
            watch.failed(why);
        }
        return overloaded(pending, why);
    }

    /** This node or the peer had no memory: whether the operations were executed is unknown. */
    private static List<@Nullable ReplicaAnswer> overloaded(
            List<PendingRequest> pending, String why) {
        List<@Nullable ReplicaAnswer> answers = new ArrayList<>(pending.size());
        for (PendingRequest each : pending) {
            boolean mayBeDone =
                    each.request instanceof ReplicaRequest.Write
                            || each.request instanceof ReplicaRequest.ToAcceptor;
            answers.add(new Failed(mayBeDone ? Failure.FAILED : Failure.OVERLOADED, why));
        }
        return answers;
    }

    private @Nullable List<@Nullable ReplicaAnswer> readFrame(
            byte[] frame, List<PendingRequest> pending, Sent sent) {
        List<ReplicaRequest> requests = new ArrayList<>(pending.size());
        for (PendingRequest each : pending) {
            requests.add(each.request);
        }
        PeerCodec.Reply reply;
        try {
            reply = decode(frame, requests, sent);
        } catch (MalformedFrameException e) {
            String why = "its answer is not one: " + e.getMessage();
            switch (e.kind()) {
                case SEAL, VERSION -> watch.refused(why);
                case MALFORMED -> watch.failed(why);
            }
            return all(pending, Failure.FAILED, why);
        }
        if (reply instanceof PeerCodec.Reply.Refusal refusal
                && refusal.reason() == RefusalReason.LIFE
                && isFromMember(refusal.header(), sent)) {
            return refusedForItsLife(pending, refusal.header(), sent.life());
        }
        long clock = reply.header().clock();
        clockAheadMillis = identity.clock().aheadMillis(clock);
        boolean clockFollowed = identity.clock().observe(clock);
        return switch (reply) {
            case PeerCodec.Reply.Refusal refusal -> refused(pending, refusal);
            case PeerCodec.Reply.Answers answers -> {
                if (!clockFollowed || !isFromMember(answers.header(), sent)) {
                    String why =
                            clockFollowed
                                    ? "another node answers at its address"
                                    : "its clock is %s ms ahead of this machine's"
                                            .formatted(clockAheadMillis);
                    watch.refused(why);
                    yield all(pending, Failure.FAILED, why);
                }
                life = answers.header().life();
                watch.answered();
                yield answers.answers();
            }
        };
    }

    /** Decodes a reply, which is bound to the frame or, if the frame was not read, to its pass. */
    private static PeerCodec.Reply decode(byte[] frame, List<ReplicaRequest> requests, Sent sent)
            throws MalformedFrameException {
        try {
            return PeerCodec.decodeReply(frame, sent.seal(), requests, sent.key());
        } catch (MalformedFrameException e) {
            if (e.kind() != MalformedFrameException.Kind.SEAL || sent.passSeal().length == 0) {
                throw e;
            }
            PeerCodec.Reply reply =
                    PeerCodec.decodeReply(frame, sent.passSeal(), List.of(), sent.key());
            return switch (reply) {
                case PeerCodec.Reply.Refusal refusal -> refusal;
                case PeerCodec.Reply.Answers answers -> throw e;
            };
        }
    }

    /** The peer has restarted since its last answer, and has executed nothing. */
    private @Nullable List<@Nullable ReplicaAnswer> refusedForItsLife(
            List<PendingRequest> pending, FrameHeader header, long requestLife) {
        boolean isNew = header.life() != life;
        life = header.life();
        if (!isNew && header.life() == requestLife) {
            return refused(pending, "it refuses the life that it says it is in");
        }
        return null;
    }

    private boolean isFromMember(FrameHeader header, Sent sent) {
        return header.sender() == memberNumber && header.fingerprint() == sent.fingerprint();
    }

    private @Nullable List<@Nullable ReplicaAnswer> refused(
            List<PendingRequest> pending, PeerCodec.Reply.Refusal refusal) {
        if (refusal.reason() == RefusalReason.REPLAY) {
            // All lanes' numbers were lost, and the next exchange may be in another lane.
            numbers.values().forEach(ExchangeNumbers::skipAhead);
            String why = "it took the exchange for a replay";
            watch.failed(why);
            // The peer has seen the number before, perhaps with this exchange if a proxy sent it
            // twice.
            return all(pending, Failure.FAILED, why);
        }
        if (refusal.reason() == RefusalReason.TOPOLOGY) {
            return refusedForItsTopology(pending, refusal);
        }
        return refused(pending, reason(refusal));
    }

    /**
     * Lets the older of two topologies of one cluster be replaced by the newer one.
     *
     * @return null if the requests are to be sent again: the peer learns this node's topology, or
     *     this node has learned the peer's
     */
    private @Nullable List<@Nullable ReplicaAnswer> refusedForItsTopology(
            List<PendingRequest> pending, PeerCodec.Reply.Refusal refusal) {
        Topology ours = identity.topology();
        Topology theirs;
        try {
            theirs = Topology.parseCanonicalText(refusal.text());
        } catch (IllegalArgumentException e) {
            return refused(pending, "its topology is " + refusal.text());
        }
        if (theirs.succeeds(ours)) {
            boolean isRemoved =
                    ours.epoch() > 0 && isRemoved(ours.member(identity.self().name()), theirs);
            if (isRemoved) {
                watch.refused(STRANGER);
            } else {
                watch.answered();
            }
            identity.liveTopology().toldOf(theirs);
            // The peer may have executed the requests before it learned its topology.
            return all(
                    pending,
                    isRemoved ? Failure.FAILED : Failure.STALE,
                    isRemoved ? STRANGER : ours.differenceFrom(theirs));
        }
        boolean isControl = refusal.header().lane() == Lane.CONTROL;
        if (ours.equals(theirs) && !isControl) {
            return null;
        }
        if (ours.equals(theirs)) {
            watch.failed(ours.differenceFrom(theirs));
            return all(pending, Failure.FAILED, ours.differenceFrom(theirs));
        }
        if (ours.succeeds(theirs) && (!isControl || theirs.cluster() == null)) {
            watch.answered();
            if (isControl) { // it learns the id when it asks this node
                return all(pending, Failure.STALE, ours.differenceFrom(theirs));
            }
            whenBehind.run();
            return null;
        }
        return refused(pending, ours.differenceFrom(theirs));
    }

    private static boolean isRemoved(@Nullable Member was, Topology theirs) {
        Member is = was == null ? null : theirs.member(was.name());
        return was != null && (is == null || !is.isSame(was));
    }

    private String reason(PeerCodec.Reply.Refusal refusal) {
        return switch (refusal.reason()) {
            case TOPOLOGY -> "another topology";
            case RECIPIENT ->
                    refusal.text().equals(memberName)
                            ? STRANGER
                            : "at its address is " + refusal.text();
            case CLOCK -> "this machine's clock is ahead of its: " + refusal.text();
            case REPLAY -> "replay";
            case LIFE -> "another node answers at its address";
        };
    }

    private List<@Nullable ReplicaAnswer> refused(List<PendingRequest> pending, String why) {
        watch.refused(why);
        return all(pending, Failure.REFUSED, why);
    }

    private static List<@Nullable ReplicaAnswer> all(
            List<PendingRequest> pending, Failure reason, String detail) {
        return Collections.nCopies(pending.size(), new Failed(reason, detail));
    }

    private static @Nullable Throwable cause(@Nullable Throwable error) {
        Throwable cause = error;
        while (cause != null
                && (cause instanceof CompletionException
                        || cause.getCause() instanceof NoRoomException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static String describe(@Nullable Throwable error) {
        Throwable cause = cause(error);
        if (cause instanceof CancellationException) {
            return "no answer in time";
        }
        if (cause instanceof ConnectException) {
            return "no connection to it"; // the client hides the reason
        }
        if (cause == null) {
            return "no answer";
        }
        String message = cause.getMessage();
        String kind = cause.getClass().getSimpleName();
        return message == null ? kind : kind + ": " + message;
    }
}
