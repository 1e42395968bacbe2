package dev.quorate.node.api;

import dev.quorate.node.access.Caller;
import dev.quorate.node.api.answer.AnswerContext;
import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.node.api.request.QueryParameters;
import dev.quorate.node.api.request.RequestReader;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.budget.AddressCounts;
import dev.quorate.router.coordinator.Operations;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.ByteBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Handles POSTs of {@code /v0/entities}: checks the request, reads its lines, begins the batch. */
final class Batches {

    /** Maximum length of a body, in bytes. */
    private static final int MAX_BODY_BYTES = 2 << 20;

    /** Maximum number of lines, and of operations in one exchange with a peer. */
    private static final int MAX_LINES = 512;

    private static final List<String> PARAMETERS =
            List.of("replicas", "ack", "from", "consistency");
    private static final String CONTENT_TYPE = "application/x-ndjson";

    /** Maximum number of open batches; a client address may have half of them. */
    static final int MAX_OPEN = 128;

    /** Longer bodies are read on a background thread, since this may take some milliseconds. */
    private static final int MAX_INLINE_BYTES = 65_536;

    /** Small values and problems of all batches may use 1/16 of the heap until they are sent. */
    private static final int HEAP_PARTS = 16;

    private final RequestReader reader;
    private final Batch.Context context;
    private final Executor background;
    private final AtomicInteger open = new AtomicInteger();
    private final AddressCounts openOfAddress = new AddressCounts(MAX_OPEN / 2);

    /**
     * @param background reads long bodies; must accept {@link #MAX_OPEN} tasks
     */
    Batches(
            Operations operations,
            RequestReader reader,
            AnswerContext answers,
            Executor background) {
        this.background = background;
        this.reader = reader;
        long answerBytes = Runtime.getRuntime().maxMemory() / HEAP_PARTS;
        context =
                new Batch.Context(
                        operations,
                        new ByteBudget(answerBytes),
                        new AddressCounts(answerBytes / 4 * 3),
                        answers);
    }

    /** Checks the parts of a request that precede the body. */
    void requireHead(@Nullable String query, HttpHeaders headers) throws RequestRefusedException {
        QueryParameters parameters = QueryParameters.parse(query, PARAMETERS);
        var _ = isLinearizable(parameters, reader.spec(parameters));
        if (headers.first("x-quorate-version") != null) {
            throw new RequestRefusedException(
                    400, "A batch has no X-Quorate-Version: each line has a 'version' of its own.");
        }
        String type = headers.first("content-type");
        String name = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (!name.equals(CONTENT_TYPE)) {
            throw new RequestRefusedException(
                    Problem.of(415, "A batch has Content-Type: " + CONTENT_TYPE + ".")
                            .header("Accept-Post: " + CONTENT_TYPE)
                            .response());
        }
        String length = headers.first("content-length");
        requireLength(length == null ? 0 : RequestReader.number(length));
    }

    private static boolean isLinearizable(QueryParameters parameters, QuorumSpec spec)
            throws RequestRefusedException {
        return RequestReader.isLinearizable(parameters.raw("consistency"), spec);
    }

    /** Executes a batch whose head was checked. */
    void execute(HttpRequest request, Caller caller, HttpExchange exchange)
            throws RequestRefusedException {
        QueryParameters parameters = QueryParameters.parse(request.query(), PARAMETERS);
        QuorumSpec spec = reader.spec(parameters);
        byte[] body = request.body();
        Batch.Request batch =
                new Batch.Request(
                        spec,
                        isLinearizable(parameters, spec),
                        RequestReader.trace(request.headers()),
                        body.length);
        BatchLineReader lines = new BatchLineReader(spec, caller);
        String address = exchange.address();
        if (!openOfAddress.tryAdd(address)) {
            throw tooMany();
        }
        if (open.incrementAndGet() > MAX_OPEN) {
            ended(address);
            throw tooMany();
        }
        if (body.length <= MAX_INLINE_BYTES) {
            begin(batch, lines, body, exchange);
            return;
        }
        try {
            background.execute(() -> beginLater(batch, lines, body, exchange));
        } catch (RejectedExecutionException e) {
            ended(address);
            throw tooMany();
        }
    }

    private void ended(String address) {
        open.decrementAndGet();
        openOfAddress.remove(address);
    }

    private void beginLater(
            Batch.Request batch, BatchLineReader lines, byte[] body, HttpExchange exchange) {
        try {
            begin(batch, lines, body, exchange);
        } catch (RequestRefusedException e) {
            exchange.respond(e.response());
            context.answers().observer().answered(Operation.BATCH, e.response().status(), 0);
        }
    }

    private void begin(
            Batch.Request batch, BatchLineReader reader, byte[] body, HttpExchange exchange)
            throws RequestRefusedException {
        String address = exchange.address();
        boolean hasBegun = false;
        try {
            List<BatchLine> lines = lines(body, reader);
            if (!exchange.acquirePlace()) {
                throw tooMany();
            }
            hasBegun = true;
            new Batch(context, batch, lines, exchange, () -> ended(address)).start();
        } finally {
            if (!hasBegun) {
                ended(address);
            }
        }
    }

    private static RequestRefusedException tooMany() {
        return new RequestRefusedException(
                Problem.busy("Too many batches are under way. Nothing was attempted.").response());
    }

    /**
     * Divides the body of a batch into lines, and reads them; empty lines are skipped.
     *
     * @throws RequestRefusedException if it has no lines or too many, or the body is too long
     */
    private static List<BatchLine> lines(byte[] body, BatchLineReader reader)
            throws RequestRefusedException {
        requireLength(body.length);
        List<int[]> bounds = new ArrayList<>();
        for (int from = 0; from < body.length; ) {
            int to = lineEnd(body, from);
            if (!isBlank(body, from, to)) {
                bounds.add(new int[] {from, to});
            }
            if (bounds.size() > MAX_LINES) {
                throw new RequestRefusedException(
                        413, "A batch has at most " + MAX_LINES + " lines. Nothing was attempted.");
            }
            from = to + 1;
        }
        if (bounds.isEmpty()) {
            throw new RequestRefusedException(
                    400, "The batch is empty. Its body is one JSON object a line.");
        }
        List<BatchLine> lines = new ArrayList<>(bounds.size());
        for (int[] line : bounds) {
            lines.add(reader.read(body, line[0], line[1]));
        }
        return lines;
    }

    private static void requireLength(long bodyBytes) throws RequestRefusedException {
        if (bodyBytes > MAX_BODY_BYTES) {
            throw new RequestRefusedException(
                    413,
                    "A batch has at most " + MAX_BODY_BYTES + " bytes. Nothing was attempted.");
        }
    }

    private static int lineEnd(byte[] body, int from) {
        int to = from;
        while (to < body.length && body[to] != '\n') {
            to++;
        }
        return to;
    }

    private static boolean isBlank(byte[] body, int from, int to) {
        for (int i = from; i < to; i++) {
            if (body[i] != ' ' && body[i] != '\t' && body[i] != '\r') {
                return false;
            }
        }
        return true;
    }
}
