package dev.quorate.node.api;

import dev.quorate.node.coordinator.Operations;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.Problem;
import dev.quorate.node.runtime.ByteBudget;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.router.quorum.QuorumSpec;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Takes POSTs of {@code /v0/entities}: checks the request, reads its lines, and begins the batch.
 */
final class Batches {

    private static final List<String> PARAMETERS =
            List.of("replicas", "ack", "from", "consistency");
    private static final String CONTENT_TYPE = "application/x-ndjson";

    /** The most batches at once. */
    private static final int MAX_OPEN = 64;

    /** What all batches hold of small values and problems until they are sent: of the heap. */
    private static final int HEAP_PARTS = 16;

    private final Operations operations;
    private final RequestReader reader;
    private final Batch.Context context;
    private final AtomicInteger open = new AtomicInteger();

    Batches(Operations operations, RequestReader reader, ClientObserver observer, Ticker ticker) {
        this.operations = operations;
        this.reader = reader;
        long answerBytes = Runtime.getRuntime().maxMemory() / HEAP_PARTS;
        context = new Batch.Context(new ByteBudget(answerBytes), ticker, observer);
    }

    /** Checks everything that precedes the body. */
    void requireHead(@Nullable String query, HttpHeaders headers) throws RefusedException {
        QueryParameters parameters = RequestReader.parameters(query, PARAMETERS);
        var _ = operations(parameters, reader.spec(parameters));
        if (headers.first("x-quorate-version") != null) {
            throw new RefusedException(
                    400, "A batch has no X-Quorate-Version: each line has a 'version' of its own.");
        }
        String type = headers.first("content-type");
        String name = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (!name.equals(CONTENT_TYPE)) {
            throw new RefusedException(
                    Problem.of(415, "A batch has Content-Type: " + CONTENT_TYPE + ".")
                            .header("Accept-Post: " + CONTENT_TYPE)
                            .response());
        }
        String length = headers.first("content-length");
        BatchReader.requireLength(length == null ? 0 : RequestReader.number(length));
    }

    private Operations operations(QueryParameters parameters, QuorumSpec spec)
            throws RefusedException {
        return RequestReader.withConsistency(parameters.raw("consistency"), spec, operations);
    }

    /** Executes a batch whose head was checked. */
    void execute(HttpRequest request, HttpExchange exchange) throws RefusedException {
        QueryParameters parameters = RequestReader.parameters(request.query(), PARAMETERS);
        QuorumSpec spec = reader.spec(parameters);
        Operations asWanted = operations(parameters, spec);
        byte[] body = request.body();
        List<BatchLine> lines = BatchReader.read(body, new BatchLineReader(spec));
        if (open.incrementAndGet() > MAX_OPEN) {
            open.decrementAndGet();
            throw tooMany();
        }
        if (!exchange.takePlace()) {
            open.decrementAndGet();
            throw tooMany();
        }
        new Batch(context, asWanted, spec, lines, body.length, exchange, open::decrementAndGet)
                .start();
    }

    private static RefusedException tooMany() {
        return new RefusedException(
                Problem.of(503, "Too many batches are under way. Nothing was attempted.")
                        .header("Retry-After: 1")
                        .response());
    }
}
