package dev.quorate.node.api;

import dev.quorate.node.coordinator.Outcome.QuorumFailed;
import dev.quorate.node.coordinator.ScanStream;
import dev.quorate.node.coordinator.ScanStream.ScanCallback;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.storage.Entry;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers a range read. The head is sent only with the first batch, so that a range of which
 * nothing can be read is a 504; a later failure can only cut the stream off.
 */
final class EntityStream implements StreamSource {

    /** The answer if all places for streamed answers are taken. */
    private static final HttpResponse NO_PLACE =
            Problem.of(503, "Too many ranges are being read. Try again later.")
                    .header("Retry-After: 1")
                    .response();

    private static final byte[] EMPTY = {};

    private final ScanStream scan;
    private final EntityFormat format;
    private final HttpExchange exchange;
    private final IntConsumer ended;

    // One pull at a time: handed from thread to thread by the connection's lock.
    private long remaining;
    private @Nullable List<Entry> first;
    private int status = 200;

    /**
     * Creates the stream of a scan that has not begun.
     *
     * @param limit entries to send at most
     * @param ended receives the status at the end
     */
    EntityStream(
            ScanStream scan,
            EntityFormat format,
            long limit,
            HttpExchange exchange,
            IntConsumer ended) {
        this.scan = scan;
        this.format = format;
        this.remaining = limit;
        this.exchange = exchange;
        this.ended = ended;
    }

    void start() {
        if (!exchange.takePlace()) {
            status = NO_PLACE.status();
            exchange.respond(NO_PLACE);
            close();
            return;
        }
        scan.next(
                new Delivery() {
                    @Override
                    public void entries(List<Entry> entries) {
                        first = entries;
                        exchange.stream(head(), EntityStream.this);
                    }

                    @Override
                    public void end() {
                        first = List.of();
                        remaining = 0;
                        exchange.stream(head(), EntityStream.this);
                    }

                    @Override
                    public void failed(QuorumFailed outcome) {
                        HttpResponse answer = OutcomeAnswers.nothingListed(outcome);
                        status = answer.status();
                        exchange.respond(answer);
                        close();
                    }
                });
    }

    private HttpResponse head() {
        return new HttpResponse(200, List.of("Content-Type: " + format.contentType()), EMPTY);
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
                    public void end() {
                        sink.end();
                    }

                    @Override
                    public void failed(QuorumFailed outcome) {
                        status = 504;
                        sink.abort();
                    }
                });
    }

    private void write(List<Entry> entries, StreamSink sink) {
        for (Entry entry : entries) {
            if (remaining == 0) {
                break;
            }
            remaining--;
            format.write(entry, sink);
        }
        if (remaining == 0) {
            sink.end();
        } else {
            sink.more();
        }
    }

    /** Limits a batch to the room of the place, as it is written. */
    private abstract class Delivery implements ScanCallback {

        private long bytes;

        @Override
        public boolean hasRoomFor(Entry entry) {
            bytes += format.bytes(entry);
            return bytes <= StreamSink.DELIVERY_BYTES;
        }
    }

    @Override
    public void close() {
        scan.close();
        ended.accept(status);
    }
}
