package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import dev.quorate.node.http.connection.ResponseEncoder.Framing;
import dev.quorate.node.http.connection.ResponseEncoder.Persistence;
import dev.quorate.node.http.connection.ResponseStream.Ending;
import dev.quorate.node.http.parse.HttpFailure;
import dev.quorate.router.runtime.HeldRoom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request that a connection has in flight, and the path of its answer into the {@link Output}.
 * Decides whether the answer is the last, and whether a streamed answer has room.
 *
 * <p>Guarded by the connection's lock; calls nothing that could block or call back.
 */
final class AnswerQueue {

    private final ListenerContext context;
    private final ConnectionCore core;
    private final ConnectionState state;
    private final Output output;
    private @Nullable Exchange inFlight;

    AnswerQueue(ConnectionCore core) {
        this.core = core;
        context = core.context;
        state = core.state;
        output = core.output;
    }

    /** Notes the request that is passed to the handler. */
    void awaits(Exchange exchange) {
        inFlight = exchange;
    }

    /** The streamed answer of the request in flight; null without one. */
    @Nullable ResponseStream stream() {
        return inFlight == null ? null : inFlight.stream;
    }

    /** What to run if the client is gone before the answer; null for nothing. */
    @Nullable Runnable whenGone() {
        return inFlight == null ? null : inFlight.whenGone;
    }

    /** Adds a whole answer. False if the client is gone. */
    boolean add(Exchange exchange, HttpResponse response, HeldRoom room) {
        if (!begin(exchange)) {
            room.release();
            return false;
        }
        Persistence persistence = persistence(exchange);
        switch (state.protocol()) {
            case REQUESTS -> output.addAnswer(response, room, persistence, exchange.isHead);
            case MESSAGES -> {
                room.release();
                output.addMessage(response, persistence);
            }
        }
        finish(exchange, persistence);
        return true;
    }

    /** Adds the answer 101: messages follow. */
    void addUpgrade(Exchange exchange, List<String> headers) {
        if (begin(exchange)) {
            output.addUpgrade(headers);
            state.upgraded();
            finish(exchange, persistence(exchange));
        }
    }

    /** Adds the head of a streamed answer. False if its source must not be pulled. */
    boolean addStream(Exchange exchange, HttpResponse head, ResponseStream stream) {
        if (!begin(exchange)) {
            return false;
        }
        Framing framing = stream.isChunked ? Framing.CHUNKED : Framing.UNTIL_CLOSE;
        Persistence persistence = persistence(exchange);
        if (exchange.isHead) {
            output.addStreamHead(head, framing, persistence);
            finish(exchange, persistence);
            return false;
        }
        if (!exchange.hasPlace(context.places)) {
            context.statistics.reject(Rejection.BYTES);
            output.addAnswer(ResponseStream.NO_PLACE, HeldRoom.NONE, persistence, false);
            finish(exchange, persistence);
            return false;
        }
        output.addStreamHead(head, framing, stream.isChunked ? persistence : Persistence.CLOSES);
        exchange.stream = stream;
        state.streaming();
        return true;
    }

    /** Whether this stream is in flight and may deliver. */
    boolean takesDelivery(ResponseStream stream) {
        return state.canDeliver() && stream() == stream;
    }

    /** Adds the pieces delivered by the stream in flight. Returns whether the stream has ended. */
    boolean addDelivery(ResponseStream stream, List<byte[]> pieces, Ending wanted) {
        Exchange exchange = inFlight;
        if (exchange == null) {
            throw new IllegalStateException("no request is in flight");
        }
        Ending ending = wanted;
        if (!output.addPieces(pieces)) {
            ending = Ending.ABORT;
            stream.source.cutOff("not enough memory for the answer until its client reads it");
        }
        switch (ending) {
            case MORE -> state.delivered();
            case END ->
                    finish(exchange, stream.isChunked ? persistence(exchange) : Persistence.CLOSES);
            case ABORT -> {
                if (stream.isChunked) {
                    finish(exchange, Persistence.CLOSES); // The last chunk is missing.
                } else {
                    state.cutOff();
                    remove(exchange);
                }
            }
        }
        return ending != Ending.MORE;
    }

    /** Adds the answer to an invalid request, which is the connection's last. */
    void addRefusal(HttpFailure failure, boolean isHead) {
        context.statistics.rejectWith(failure.status());
        switch (state.protocol()) {
            case REQUESTS -> output.addRefusal(failure, isHead);
            case MESSAGES -> output.addClose(failure);
        }
        core.times.active(context.sweptAtNanos);
        state.refused();
    }

    /** Closes the queue. Returns what is to be run without the lock, for the answer in flight. */
    Runnable close() {
        ResponseStream stream = stream();
        Runnable whenGone = whenGone();
        output.clear();
        if (inFlight != null) {
            inFlight.releasePlace(context.places);
            inFlight = null;
        }
        return stream != null ? stream.source::close : whenGone != null ? whenGone : () -> {};
    }

    /** Releases the request's body; false if the client is gone. */
    private boolean begin(Exchange exchange) {
        exchange.releaseBody();
        return state.canAnswer();
    }

    private Persistence persistence(Exchange exchange) {
        if (!exchange.staysOpen || context.draining || state.isLast()) {
            return Persistence.CLOSES;
        }
        return exchange.isHttp10 ? Persistence.STAYS_SAID : Persistence.STAYS;
    }

    /** Notes that the whole answer is queued. */
    private void finish(Exchange exchange, Persistence persistence) {
        boolean isLast = persistence == Persistence.CLOSES;
        state.answered(isLast);
        if (isLast) {
            core.waiting.drop();
        }
        remove(exchange);
    }

    private void remove(Exchange exchange) {
        inFlight = null;
        exchange.releasePlace(context.places);
        core.times.active(context.sweptAtNanos);
    }
}
