package dev.quorate.testkit.simulation;

import dev.quorate.node.NodeCore;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.transport.NoRoomException;
import dev.quorate.router.transport.PeerLink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;

/**
 * Delivers frames between nodes, or delays, duplicates or loses them.
 *
 * <p>It behaves as HTTP over TCP: a machine without a process refuses connections, a process that
 * ends resets them, and the sender to an unreachable or paused node waits until its timeout.
 */
final class SimulatedNetwork {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final HttpHeaders NO_HEADERS = name -> null;

    private record Cut(SimulatedNode from, SimulatedNode to) {}

    private final EventQueue queue;
    private final SplittableRandom random;
    private final Set<Cut> cuts = new HashSet<>();
    private final Set<Underway> underway = new LinkedHashSet<>();
    private long mostDelayNanos = NANOS_PER_MILLI;

    /** Bytes of frames and replies. */
    final Map<Lane, Long> sentBytes = new EnumMap<>(Lane.class);

    private double loss;
    private double twice;

    SimulatedNetwork(EventQueue queue, SplittableRandom random) {
        this.queue = queue;
        this.random = random;
    }

    // ---- faults

    /** Cuts one direction; the opposite direction is independent. */
    void cut(SimulatedNode from, SimulatedNode to) {
        cuts.add(new Cut(from, to));
    }

    void setMostDelayNanos(long nanos) {
        mostDelayNanos = nanos;
    }

    /** Sets the likelihood that a frame or its answer is lost, and that a frame is duplicated. */
    void setUnreliability(double lossLikelihood, double twiceLikelihood) {
        loss = lossLikelihood;
        twice = twiceLikelihood;
    }

    void heal() {
        cuts.clear();
        mostDelayNanos = NANOS_PER_MILLI;
        setUnreliability(0, 0);
    }

    /** Resets the connections of an ended process. */
    void ended(SimulatedNode node) {
        underway.removeIf(each -> each.from == node);
        for (Underway each : new ArrayList<>(underway)) {
            if (each.to == node) {
                each.fail(new IOException("Connection reset"), delay());
            }
        }
    }

    // ---- delivery

    /** Draws the delay of one delivery, in nanoseconds. */
    long delay() {
        return 20_000 + random.nextLong(mostDelayNanos);
    }

    private boolean passes(SimulatedNode from, SimulatedNode to) {
        return !cuts.contains(new Cut(from, to)) && random.nextDouble() >= loss;
    }

    PeerLink link(SimulatedNode from, SimulatedNode to) {
        return new Link(from, to);
    }

    private final class Link implements PeerLink {
        private final SimulatedNode from;
        private final SimulatedNode to;
        private boolean found;

        Link(SimulatedNode from, SimulatedNode to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public Sent send(Message message, Receiver receiver) {
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            message.frame().forEach(whole::writeBytes);
            sentBytes.merge(message.lane(), (long) whole.size(), Long::sum);
            Underway sent = new Underway(from, to, message, receiver);
            underway.add(sent);
            if (passes(from, to)) {
                sent.arriveAfter(delay(), whole.toByteArray());
                if (random.nextDouble() < twice) {
                    sent.arriveAfter(delay() * 3, whole.toByteArray());
                }
            }
            return () -> sent.fail(new CancellationException(), 0);
        }

        @Override
        public void seek(Runnable whenFound) {
            if (!found) {
                found = true;
                from.after(delay(), whenFound);
            }
        }

        @Override
        public void close() {}
    }

    private final class Underway implements HttpExchange {
        private final SimulatedNode from;
        private final SimulatedNode to;
        private final PeerLink.Message message;
        private final PeerLink.Receiver receiver;

        Underway(
                SimulatedNode from,
                SimulatedNode to,
                PeerLink.Message message,
                PeerLink.Receiver receiver) {
            this.from = from;
            this.to = to;
            this.message = message;
            this.receiver = receiver;
        }

        void arriveAfter(long delayNanos, byte[] frame) {
            queue.after(
                    delayNanos,
                    () -> {
                        if (to.isUp()) {
                            to.after(0, () -> arrive(frame));
                        } else {
                            refuse();
                        }
                    });
        }

        private void refuse() {
            fail(new ConnectException("Connection refused"), delay());
        }

        private void arrive(byte[] frame) {
            NodeCore node = to.serving();
            if (node == null) {
                refuse();
                return;
            }
            HttpRequest request = new HttpRequest("POST", PeerCodec.PATH, null, NO_HEADERS, frame);
            node.peerDoor().handle(request, this);
        }

        @Override
        public void respond(HttpResponse response) {
            if (!passes(to, from)) {
                return;
            }
            from.after(
                    delay(),
                    () -> {
                        if (underway.remove(this)) {
                            receive(response);
                        }
                    });
        }

        @Override
        public void stream(HttpResponse head, StreamSource source) {
            throw new IllegalStateException("a peer endpoint does not stream");
        }

        private void receive(HttpResponse response) {
            byte[] body = response.joinedBody();
            sentBytes.merge(message.lane(), (long) body.length, Long::sum);
            if (body.length > message.maxReplyBytes()) {
                receiver.failed(new IOException("an answer of " + body.length + " bytes"));
            } else if (body.length > PeerLink.LARGE_REPLY_BYTES && !receiver.reserve(body.length)) {
                receiver.failed(new NoRoomException());
            } else {
                receiver.received(new PeerLink.Reply(response.status(), body));
            }
        }

        void fail(Throwable why, long delayNanos) {
            from.after(
                    delayNanos,
                    () -> {
                        if (underway.remove(this)) {
                            receiver.failed(why);
                        }
                    });
        }
    }
}
