package dev.quorate.router.transport;

import dev.quorate.router.health.PeerWatch;
import dev.quorate.router.message.FrameHeader;
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

/** Decodes a peer's replies into answers, and updates the peer's health. */
final class ReplyReader {

    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int CONFLICT = 409;
    private static final int UNAVAILABLE = 503;

    private final Identity identity;
    private final int memberNumber;
    private final PeerWatch watch;
    private final Map<Lane, ExchangeNumbers> numbers;
    private final PeerLife life;
    private volatile long clockAheadMillis;

    ReplyReader(
            Identity identity,
            Member member,
            PeerWatch watch,
            Map<Lane, ExchangeNumbers> numbers,
            PeerLife life) {
        this.identity = identity;
        this.memberNumber = member.number();
        this.watch = watch;
        this.numbers = numbers;
        this.life = life;
    }

    long clockAheadMillis() {
        return clockAheadMillis;
    }

    /** One answer for each request of the exchange; null where an answer did not fit. */
    List<@Nullable ReplicaAnswer> read(PeerExchange exchange) {
        PeerLink.Reply reply = exchange.takeReply();
        if (reply == null) {
            String why = describe(exchange.error());
            switch (cause(exchange.error())) {
                case NoRoomException noRoom -> {
                    return overloaded(exchange, why);
                }
                case CancellationException late -> watch.late(why);
                case ConnectException refused -> watch.unreachable(why);
                case null, default -> watch.failed(why);
            }
            return all(exchange, Failure.UNREACHABLE, why);
        }
        return switch (reply.status()) {
            case OK, CONFLICT -> readFrame(exchange, reply.body());
            case FORBIDDEN ->
                    refused(exchange, "it does not accept this node's frames: another secret?");
            case BAD_REQUEST -> refused(exchange, "it does not speak this node's protocol");
            case UNAVAILABLE -> unavailable(exchange);
            default -> {
                String why = "it answers " + reply.status();
                watch.failed(why);
                yield all(exchange, Failure.FAILED, why);
            }
        };
    }

    /**
     * The peer has no memory for the exchange, or for the reply after it has executed the
     * operations. Such a peer is up, unless it refuses even a probe.
     */
    private List<@Nullable ReplicaAnswer> unavailable(PeerExchange exchange) {
        String why = "it answers 503";
        if (exchange.pending.isEmpty()) {
            watch.failed(why);
        }
        return overloaded(exchange, why);
    }

    /** This node or the peer had no memory: whether the operations were executed is unknown. */
    private static List<@Nullable ReplicaAnswer> overloaded(PeerExchange exchange, String why) {
        List<@Nullable ReplicaAnswer> answers = new ArrayList<>(exchange.pending.size());
        for (PendingRequest pending : exchange.pending) {
            boolean mayBeDone =
                    pending.request instanceof ReplicaRequest.Write
                            || pending.request instanceof ReplicaRequest.ToAcceptor;
            answers.add(new Failed(mayBeDone ? Failure.FAILED : Failure.OVERLOADED, why));
        }
        return answers;
    }

    private List<@Nullable ReplicaAnswer> readFrame(PeerExchange exchange, byte[] frame) {
        List<ReplicaRequest> requests = new ArrayList<>(exchange.pending.size());
        for (PendingRequest pending : exchange.pending) {
            requests.add(pending.request);
        }
        PeerCodec.Reply reply;
        try {
            reply = decode(exchange, frame, requests);
        } catch (MalformedFrameException e) {
            String why = "its answer is not one: " + e.getMessage();
            switch (e.kind()) {
                case SEAL, VERSION -> watch.refused(why);
                case MALFORMED -> watch.failed(why);
            }
            return all(exchange, Failure.FAILED, why);
        }
        if (reply instanceof PeerCodec.Reply.Refusal refusal
                && refusal.reason() == RefusalReason.LIFE
                && isFromMember(refusal.header())) {
            return refusedForItsLife(exchange, refusal.header());
        }
        long clock = reply.header().clock();
        clockAheadMillis = identity.clock().aheadMillis(clock);
        boolean clockFollowed = identity.clock().observe(clock);
        return switch (reply) {
            case PeerCodec.Reply.Refusal refusal -> refused(exchange, refusal);
            case PeerCodec.Reply.Answers answers -> {
                if (!clockFollowed) {
                    String why = "its clock is " + clockAheadMillis + " ms ahead of this machine's";
                    watch.refused(why);
                    yield all(exchange, Failure.FAILED, why);
                }
                if (!isFromMember(answers.header())) {
                    String why = "another node answers at its address";
                    watch.refused(why);
                    yield all(exchange, Failure.FAILED, why);
                }
                life.learn(answers.header().life());
                watch.answered();
                yield answers.answers();
            }
        };
    }

    /** Decodes a reply, which is bound to the frame or, if the frame was not read, to its pass. */
    private PeerCodec.Reply decode(
            PeerExchange exchange, byte[] frame, List<ReplicaRequest> requests)
            throws MalformedFrameException {
        try {
            return PeerCodec.decodeReply(frame, exchange.requestSeal(), requests, identity.seal());
        } catch (MalformedFrameException e) {
            byte[] passSeal = exchange.passSeal();
            if (e.kind() != MalformedFrameException.Kind.SEAL || passSeal.length == 0) {
                throw e;
            }
            PeerCodec.Reply reply =
                    PeerCodec.decodeReply(frame, passSeal, List.of(), identity.seal());
            return switch (reply) {
                case PeerCodec.Reply.Refusal refusal -> refusal;
                case PeerCodec.Reply.Answers answers -> throw e;
            };
        }
    }

    /** The peer has restarted since its last answer, and has executed nothing. */
    private List<@Nullable ReplicaAnswer> refusedForItsLife(
            PeerExchange exchange, FrameHeader header) {
        boolean isNew = life.learn(header.life());
        if (!isNew && header.life() == exchange.life()) {
            return refused(exchange, "it refuses the life that it says it is in");
        }
        exchange.refusedUndone();
        return Collections.nCopies(exchange.pending.size(), null);
    }

    private boolean isFromMember(FrameHeader header) {
        return header.sender() == memberNumber
                && header.fingerprint() == identity.topology().fingerprint();
    }

    private List<@Nullable ReplicaAnswer> refused(
            PeerExchange exchange, PeerCodec.Reply.Refusal refusal) {
        if (refusal.reason() == RefusalReason.REPLAY) {
            // All lanes' numbers were lost, and the next exchange may be in another lane.
            numbers.values().forEach(ExchangeNumbers::skipAhead);
            String why = "it took the exchange for a replay";
            watch.failed(why);
            // The peer has seen the number before, perhaps with this exchange if a proxy sent it
            // twice.
            return all(exchange, Failure.FAILED, why);
        }
        return refused(exchange, reason(refusal));
    }

    private String reason(PeerCodec.Reply.Refusal refusal) {
        return switch (refusal.reason()) {
            case TOPOLOGY -> difference(refusal.text());
            case RECIPIENT -> "at its address is " + refusal.text();
            case CLOCK -> "this machine's clock is ahead of its: " + refusal.text();
            case REPLAY -> "replay";
            case LIFE -> "another node answers at its address";
        };
    }

    private String difference(String text) {
        try {
            return identity.topology().differenceFrom(Topology.parseCanonicalText(text));
        } catch (IllegalArgumentException e) {
            return "its topology is " + text;
        }
    }

    private List<@Nullable ReplicaAnswer> refused(PeerExchange exchange, String why) {
        watch.refused(why);
        return all(exchange, Failure.REFUSED, why);
    }

    private static List<@Nullable ReplicaAnswer> all(
            PeerExchange exchange, Failure reason, String detail) {
        return Collections.nCopies(exchange.pending.size(), new Failed(reason, detail));
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
