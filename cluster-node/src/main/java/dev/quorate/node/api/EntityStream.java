package dev.quorate.node.api;

import dev.quorate.node.api.answer.AnswerContext;
import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.node.api.answer.OperationLog;
import dev.quorate.node.api.answer.OutcomeAnswers;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome.QuorumFailed;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.coordinator.range.ScanStream.ScanCallback;
import dev.quorate.router.message.TraceParent;
import dev.quorate.storage.Entry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers a range read. The head is sent only with the first batch, so that a range without any
 * readable batch gets a 504; a later failure can only abort the stream. A count is answered as a
 * whole, at the end.
 */
final class EntityStream implements StreamSource {

    /** The answer if all places for streamed answers are taken. */
    static final HttpResponse NO_PLACE =
            Problem.busy("Too many ranges are being read. Try again later.").response();

    /**
     * After this time a page ends even if it is not full, and the answer of a range without entries
     * so far begins, so that the connection notices if its client leaves.
     */
    private static final long MAX_PAGE_NANOS = 1_000_000_000;

    private static final byte[] EMPTY = {};

    private final ScanStream scan;
    private final RangeRequest request;
    private final List<String> lines = new ArrayList<>();
    private final HttpExchange exchange;
    private final AnswerContext context;
    private final long startedNanos;

    // One pull at a time: handed from thread to thread by the connection's lock.
    private long remaining;
    private @Nullable List<Entry> first;
    private byte @Nullable [] passed;
    private long keys;
    private boolean isEmpty = true;
    private int status = 200;
    private @Nullable Explanation failure;
    private @Nullable TraceParent trace;

    /**
     * Creates the stream of a scan that has not begun, for an exchange that has a place.
     *
     * @param startedNanos when the request was complete, in {@code Ticker.nanos} time
     */
    EntityStream(
            ScanStream scan,
            RangeRequest request,
            HttpExchange exchange,
            AnswerContext context,
            long startedNanos) {
        this.scan = scan;
        this.request = request;
        this.remaining = request.limit();
        this.exchange = exchange;
        this.trace = request.trace();
        this.context = context;
        this.startedNanos = startedNanos;
    }

    /**
     * @param more further header lines
     */
    void start(String... more) {
        lines.addAll(List.of(more));
        if (request.counts()) {
            exchange.whenGone(scan::close);
        }
        scan.next(
                new Delivery() {
                    @Override
                    public void entries(List<Entry> entries) {
                        if (request.counts()) {
                            keys += entries.size();
                            scan.next(this);
                        } else {
                            first = entries;
                            begin();
                        }
                    }

                    @Override
                    public boolean continuesAfter(byte[] key) {
                        if (request.counts() || !isLate()) {
                            return true;
                        }
                        if (request.cursor() != null) {
                            passed = key;
                            first = List.of();
                        }
                        begin();
                        return false;
                    }

                    @Override
                    public void end() {
                        first = List.of();
                        begin();
                    }

                    @Override
                    public void failed(QuorumFailed outcome) {
                        failure = outcome.explanation();
                        HttpResponse answer = OutcomeAnswers.nothingListed(outcome, trace());
                        status = answer.status();
                        exchange.respond(answer);
                        close();
                    }
                });
    }

    private void answerCount() {
        boolean isText = request.format() == EntityFormat.CHUNKS;
        String type = isText ? "text/plain; charset=utf-8" : request.format().contentType();
        String text = isText ? keys + "\n" : "{\"count\":" + keys + "}\n";
        lines.addAll(List.of("Content-Type: " + type, "Vary: Accept"));
        exchange.respond(new HttpResponse(200, lines, text));
        close();
    }

    private void begin() {
        if (request.counts()) {
            answerCount();
            return;
        }
        lines.add("Content-Type: " + request.format().contentType());
        lines.add("Vary: Accept");
        exchange.stream(new HttpResponse(200, lines, EMPTY), this);
    }

    @Override
    public void pull(StreamSink sink) {
        List<Entry> entries = first;
        if (entries != null) {
            first = null;
            write(entries, sink);
            return;
        }
        scan.next(
                new Delivery() {
                    @Override
                    public void entries(List<Entry> batch) {
                        write(batch, sink);
                    }

                    @Override
                    public boolean continuesAfter(byte[] key) {
                        if (request.cursor() == null || !isLate()) {
                            return true;
                        }
                        EntityStream.this.end(key, sink);
                        return false;
                    }

                    @Override
                    public void end() {
                        EntityStream.this.end(null, sink);
                    }

                    @Override
                    public void failed(QuorumFailed outcome) {
                        failure = outcome.explanation();
                        status = 504;
                        sink.abort();
                    }
                });
    }

    /** An empty list is the end. */
    private void write(List<Entry> entries, StreamSink sink) {
        for (Entry entry : entries) {
            request.format().write(entry, isEmpty, request.range().keysOnly(), sink);
            isEmpty = false;
            remaining--;
            if (remaining == 0) {
                end(entry.key(), sink);
                return;
            }
        }
        if (entries.isEmpty()) {
            end(passed, sink);
        } else if (request.cursor() != null && isLate()) {
            end(entries.getLast().key(), sink);
        } else {
            sink.more();
        }
    }

    private boolean isLate() {
        return context.ticker().nanos() - startedNanos >= MAX_PAGE_NANOS;
    }

    /**
     * Ends the answer.
     *
     * @param last the key at which a limit was reached; null at the end of the range
     */
    private void end(byte @Nullable [] last, StreamSink sink) {
        RangeCursor cursor = request.cursor();
        String next = last == null || cursor == null ? null : cursor.after(last);
        request.format().end(isEmpty, next, sink);
        sink.end();
    }

    /** Limits a batch, as it is written, to the size of a delivery. */
    private abstract class Delivery implements ScanCallback {

        private long bytes = EntityFormat.MAX_END_BYTES;

        @Override
        public boolean hasRoomFor(Entry entry) {
            bytes += request.format().bytes(entry, request.range().keysOnly());
            return request.counts() || bytes <= StreamSink.DELIVERY_BYTES;
        }
    }

    @Override
    public void cutOff(String why) {
        failure = new Explanation(List.of(why), List.of());
        status = 504;
    }

    @Override
    public void close() {
        scan.close();
        long nanos = context.ticker().nanos() - startedNanos;
        context.observer().answered(Operation.SCAN, status, request.spec(), nanos);
        Explanation failed = failure;
        // The duration of a range depends on its client, so it is not logged as slow.
        if (failed != null && status == 504 && context.log().isLogged(0, true)) {
            context.write(
                    new OperationLog.Line(
                            Operation.SCAN,
                            status,
                            request.spec(),
                            null,
                            0,
                            trace(),
                            failed,
                            nanos));
        }
    }

    /** The trace of a failure; a new one if the client sent none. */
    private TraceParent trace() {
        if (trace == null) {
            trace = context.log().newTrace();
        }
        return trace;
    }
}
