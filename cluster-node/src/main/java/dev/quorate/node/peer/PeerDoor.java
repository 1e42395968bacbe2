package dev.quorate.node.peer;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.HttpHead;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.message.FrameHeader;
import dev.quorate.router.message.FrameSeal;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.MalformedFrameException;
import dev.quorate.router.message.Pass;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.message.RefusalReason;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.router.transport.Identity;
import dev.quorate.storage.Figures;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the other nodes' exchanges: the only handler of the peers' listener. An exchange is a
 * POST, or a message of a connection that a GET has upgraded.
 *
 * <p>Checks, in this order, the seal, the topology, recipient and sender, the life of this node,
 * the sender's clock, and that the frame is not a replay. Then this node's own replica executes
 * each operation: requests of peers are never forwarded, so no loop can occur.
 *
 * <p>A request's head carries a {@linkplain Pass pass}, which is checked in the same way before the
 * body is read or the connection upgraded: an unauthenticated client costs no memory.
 */
public final class PeerDoor implements HttpHandler {

    /** With a charset in which each byte is a character, for clients that decode it as text. */
    private static final List<String> BINARY =
            List.of("Content-Type: application/octet-stream; charset=iso-8859-1");

    private static final List<String> TEXT = List.of("Content-Type: text/plain; charset=us-ascii");

    private final Identity identity;

    /** This node's number, a hash. */
    private final int ownNumber;

    private final Answerer answerer;
    private final Deadlines deadlines;
    private final Ticker ticker;
    private final IntConsumer heard;
    private final SlowRequests slow;

    /** By the number of the sender: of the members of the topology in use. */
    private volatile Map<Integer, Map<Lane, ReplayWindow>> windows = Map.of();

    private final Figures figures = new Figures();
    private final LongAdder deferred = new LongAdder();
    private final LongAdder malformed = new LongAdder();
    private final LongAdder unsealed = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /**
     * @param answerer this node's own replica
     * @param heard called with the number of the member that sent each accepted exchange
     * @param slow logs slow requests
     */
    public PeerDoor(
            Identity identity,
            Answerer answerer,
            Deadlines deadlines,
            Ticker ticker,
            IntConsumer heard,
            SlowRequests slow) {
        this.identity = identity;
        this.ownNumber = identity.self().number();
        this.answerer = answerer;
        this.deadlines = deadlines;
        this.ticker = ticker;
        this.heard = heard;
        this.slow = slow;
        receiveFrom(identity.topology().members());
        registerFigures();
    }

    /** Receives from these members from now on, and from no others. */
    public void receiveFrom(Collection<Member> members) {
        windows = ReplayWindow.of(members, windows);
    }

    /** Counters since the start. */
    public Figures figures() {
        return figures;
    }

    private void registerFigures() {
        String refusals = "Requests to the port for peers that were refused.";
        String name = "peer_requests_refused";
        figures.counter(name, refusals, unsealed::sum, "reason", "seal");
        figures.counter(name, refusals, malformed::sum, "reason", "format");
        figures.counter(name, refusals, refused::sum, "reason", "membership_clock_or_replay");
        figures.counter(
                "peer_answers_deferred",
                "Answers that did not fit into a reply to a peer, which requests them again.",
                deferred::sum);
    }

    @Override
    public void handle(HttpRequest request, HttpExchange exchange) {
        if (!request.path().equals(PeerCodec.PATH)) {
            exchange.respond(text(404, "nothing is here"));
            return;
        }
        if (request.method().equals("GET")) {
            HttpResponse refusal = refusalOfPass(request.headers());
            if (refusal != null) {
                exchange.respond(refusal);
            } else {
                exchange.upgrade(request);
            }
            return;
        }
        if (!request.method().equals("POST")) {
            exchange.respond(notAllowed());
            return;
        }
        try {
            receive(request.body(), exchange);
        } catch (MalformedFrameException e) {
            exchange.respond(refusal(e));
        }
    }

    /** Refuses a body without a pass. */
    @Override
    public @Nullable HttpResponse refusal(HttpHead head) {
        if (!head.path().equals(PeerCodec.PATH)) {
            return text(404, "nothing is here");
        }
        return head.method().equals("POST") ? refusalOfPass(head) : notAllowed();
    }

    private @Nullable HttpResponse refusalOfPass(HttpHeaders headers) {
        byte[] pass = Pass.frame(headers.first("x-quorate-pass"));
        if (pass == null) {
            unsealed.increment();
            return text(403, "without a pass of a member");
        }
        try {
            PeerCodec.Opened opened = PeerCodec.openRequests(pass, identity.seal());
            Refusal refusal = refusal(opened.header(), identity.topology());
            if (refusal != null) {
                refused.increment();
                return refusal.response(this, opened, FrameSeal.of(pass));
            }
            return null;
        } catch (MalformedFrameException e) {
            return refusal(e);
        }
    }

    private HttpResponse refusal(MalformedFrameException e) {
        return switch (e.kind()) {
            case SEAL -> {
                unsealed.increment();
                yield text(403, "not sealed with this cluster's secret");
            }
            case MALFORMED, VERSION -> {
                malformed.increment();
                yield text(400, String.valueOf(e.getMessage()));
            }
        };
    }

    private static HttpResponse notAllowed() {
        List<String> headers = new ArrayList<>(TEXT);
        headers.add("Allow: POST, GET");
        return new HttpResponse(405, headers, new byte[0]);
    }

    private static HttpResponse text(int status, String text) {
        return new HttpResponse(status, TEXT, text);
    }

    private void receive(byte[] frame, HttpExchange exchange) throws MalformedFrameException {
        PeerCodec.Opened opened = PeerCodec.openRequests(frame, identity.seal());
        FrameHeader header = opened.header();
        Topology topology = identity.topology();
        Refusal refusal = refusal(header, topology);
        if (refusal != null) {
            refused.increment();
            if (topology.cluster() == null && refusal.reason == RefusalReason.TOPOLOGY) {
                heard.accept(header.sender()); // this node learns the cluster when it asks
            }
            exchange.respond(refusal.response(this, opened, FrameSeal.of(frame)));
            return;
        }
        List<ReplicaRequest> requests = PeerCodec.decodeRequests(frame);
        byte[] requestSeal = FrameSeal.of(frame); // the frame itself can be freed now
        heard.accept(header.sender());
        // However far in the future a peer's deadline is, it is taken as a minute from now.
        long remainingMillis = Math.min(Integer.toUnsignedLong(header.remainingMillis()), 60_000);
        long begunNanos = ticker.nanos();
        DoorExchange answering =
                new DoorExchange(
                        header.lane(),
                        topology,
                        requests,
                        begunNanos + remainingMillis * 1_000_000L,
                        request -> slow.answered(header.sender(), request, begunNanos),
                        answers -> respond(opened, requestSeal, answers, exchange));
        answering.start(answerer);
        if (!answering.isComplete()) {
            deadlines.watch(answering);
        }
    }

    private record Refusal(RefusalReason reason, String text) {

        HttpResponse response(PeerDoor door, PeerCodec.Opened opened, byte[] requestSeal) {
            byte[] body =
                    PeerCodec.encodeRefusal(
                            door.answerTo(opened.header(), FrameHeader.Kind.REFUSAL),
                            reason,
                            text,
                            requestSeal,
                            opened.seal());
            return new HttpResponse(409, BINARY, body);
        }
    }

    private @Nullable Refusal refusal(FrameHeader header, Topology topology) {
        Refusal otherTopology = refusalOfTopology(header, topology);
        if (otherTopology != null) {
            return otherTopology;
        }
        Map<Lane, ReplayWindow> senders = windows.get(header.sender());
        if (header.recipient() != ownNumber || header.sender() == ownNumber || senders == null) {
            return new Refusal(RefusalReason.RECIPIENT, identity.self().name());
        }
        if (header.life() != identity.life()) {
            return new Refusal(RefusalReason.LIFE, "");
        }
        if (!identity.clock().observe(header.clock())) {
            return new Refusal(
                    RefusalReason.CLOCK,
                    "by %d ms; at most %d are followed"
                            .formatted(
                                    identity.clock().aheadMillis(header.clock()),
                                    identity.clock().maxAheadMillis()));
        }
        if (!Objects.requireNonNull(senders.get(header.lane())).accept(header.exchange())) {
            return new Refusal(RefusalReason.REPLAY, "");
        }
        return null;
    }

    private static @Nullable Refusal refusalOfTopology(FrameHeader header, Topology topology) {
        return header.fingerprint() == Identity.fingerprint(topology, header.lane())
                ? null
                : new Refusal(RefusalReason.TOPOLOGY, topology.canonicalText());
    }

    private FrameHeader answerTo(FrameHeader header, FrameHeader.Kind kind) {
        long fingerprint = Identity.fingerprint(identity.topology(), header.lane());
        return header.answer(kind, fingerprint, identity.clock().reading(), identity.life());
    }

    private void respond(
            PeerCodec.Opened opened,
            byte[] requestSeal,
            List<@Nullable ReplicaAnswer> answers,
            HttpExchange exchange) {
        for (ReplicaAnswer answer : answers) {
            if (answer == null) {
                deferred.increment();
            }
        }
        FrameHeader header = opened.header();
        Refusal otherTopology = refusalOfTopology(header, identity.topology()); // by now
        if (otherTopology != null) {
            exchange.respond(otherTopology.response(this, opened, requestSeal));
            return;
        }
        FrameHeader head = answerTo(header, FrameHeader.Kind.ANSWERS);
        int large = indexOfLarge(answers);
        if (large >= 0) {
            List<byte[]> parts =
                    PeerCodec.encodeAnswersAround(large, head, answers, requestSeal, opened.seal());
            exchange.respond(HttpResponse.ofParts(200, BINARY, parts));
            return;
        }
        byte[] body = PeerCodec.encodeAnswers(head, answers, requestSeal, opened.seal());
        exchange.respond(new HttpResponse(200, BINARY, body));
    }

    /** The first answer with a value that should not be copied; -1 if none. */
    private static int indexOfLarge(List<@Nullable ReplicaAnswer> answers) {
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) instanceof ReplicaAnswer.Found found
                    && found.entry().valueBytes() > DoorExchange.LARGE_ANSWER_BYTES) {
                return i;
            }
        }
        return -1;
    }
}
