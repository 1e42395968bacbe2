package dev.quorate.node.console;

import dev.quorate.node.admin.EventsJson;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.router.runtime.EventLog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open streams of the console, as server-sent events (HTML standard, 9.2). Nothing is buffered
 * for a slow reader: it gets the current state when it can accept more, and loses its place if it
 * accepts nothing for more than {@link #MAX_MISSED} rounds. A stream whose client is no longer
 * allowed to read it ends within a round. Thread-safe.
 */
final class ConsoleStreams {

    /** Further streams are refused. */
    static final int MAX_STREAMS = 16;

    /** Number of rounds, of a second each, that a reader may miss. */
    static final int MAX_MISSED = 10;

    /** Maximum number of events in one delivery, of up to about 1 KB each; the others follow. */
    private static final int MAX_EVENTS = 50;

    private static final byte[] NOTHING = {};

    private static final HttpResponse TOO_MANY =
            Problem.of(503, "Too many consoles are open at this node. Close one of them.")
                    .header("Retry-After: 10")
                    .response();

    /** Sets the time that a browser waits before it reconnects. */
    private static final String BEGIN = "retry: 2000\n\n";

    private final String node;
    private final EventLog events;

    /** Guarded by this, as is the next field. */
    private final List<Reader> readers = new ArrayList<>();

    private boolean isClosed;

    ConsoleStreams(String node, EventLog events) {
        this.node = node;
        this.events = events;
    }

    /**
     * Answers with a stream.
     *
     * @param since only events after this sequence number
     * @param isAllowed whether the client may still read; evaluated in each round
     */
    void open(long since, BooleanSupplier isAllowed, HttpExchange exchange) {
        Reader reader = new Reader(since, isAllowed);
        if (!exchange.acquirePlace() || !add(reader)) {
            exchange.respond(TOO_MANY);
            return;
        }
        exchange.stream(
                new HttpResponse(
                        200,
                        List.of(
                                "Content-Type: text/event-stream",
                                "X-Content-Type-Options: nosniff"),
                        NOTHING),
                reader);
    }

    private synchronized boolean add(Reader reader) {
        if (isClosed || readers.size() >= MAX_STREAMS) {
            return false;
        }
        readers.add(reader);
        return true;
    }

    private synchronized void remove(Reader reader) {
        readers.remove(reader);
    }

    private synchronized List<Reader> readers() {
        return List.copyOf(readers);
    }

    /** Whether no reader exists, so that no update is needed. */
    synchronized boolean isIdle() {
        return readers.isEmpty();
    }

    /**
     * Sends to all readers.
     *
     * @param state as JSON
     * @param samples new samples, as JSON
     */
    void publish(String state, List<String> samples) {
        for (Reader reader : readers()) {
            if (reader.isAllowed.getAsBoolean()) {
                reader.offer(state, samples);
            } else {
                remove(reader);
                reader.end();
            }
        }
    }

    /** Ends all streams, well-formed: the node is stopping. */
    void close() {
        synchronized (this) {
            isClosed = true;
        }
        for (Reader reader : readers()) {
            reader.end();
        }
    }

    private static String message(String name, String json) {
        return "event: " + name + "\ndata: " + json.strip() + "\n\n";
    }

    private final class Reader implements StreamSource {

        private final BooleanSupplier isAllowed;

        /** Guarded by this, as are the next fields. Null until the last delivery is accepted. */
        private @Nullable StreamSink sink;

        private long seen;
        private int missed;
        private boolean hasBegun;
        private boolean isOver;

        Reader(long since, BooleanSupplier isAllowed) {
            this.isAllowed = isAllowed;
            seen = since;
        }

        @Override
        public void pull(StreamSink next) {
            boolean ends;
            synchronized (this) {
                ends = isOver;
                sink = ends ? null : next;
                missed = 0;
            }
            if (ends) {
                next.abort();
            }
        }

        /** Sends an update if the previous delivery was accepted. */
        void offer(String state, List<String> samples) {
            StreamSink taker;
            StringBuilder text = new StringBuilder();
            synchronized (this) {
                taker = sink;
                sink = null;
                if (taker == null) {
                    missed++;
                    isOver |= missed > MAX_MISSED;
                } else {
                    if (!hasBegun) {
                        hasBegun = true;
                        text.append(BEGIN);
                    }
                    addEvents(text);
                }
            }
            if (taker == null) {
                if (isOver()) {
                    remove(this);
                }
                return;
            }
            text.append(message("state", state));
            samples.forEach(sample -> text.append(message("sample", sample)));
            taker.chunk(text.toString().getBytes(StandardCharsets.UTF_8));
            taker.more();
        }

        private void addEvents(StringBuilder text) {
            List<EventLog.Event> more = events.since(seen);
            for (EventLog.Event event : more.subList(0, Math.min(more.size(), MAX_EVENTS))) {
                seen = event.sequence();
                text.append("id: ").append(seen).append('\n');
                text.append(message("event", EventsJson.line(node, event)));
            }
        }

        private synchronized boolean isOver() {
            return isOver;
        }

        void end() {
            StreamSink taker;
            synchronized (this) {
                isOver = true;
                taker = sink;
                sink = null;
            }
            if (taker != null) {
                taker.end();
            }
        }

        @Override
        public void close() {
            remove(this);
        }
    }
}
