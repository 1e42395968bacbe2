package dev.quorate.node.api;

import dev.quorate.node.api.ClientObserver.Operation;
import dev.quorate.node.conditional.Request.Condition;
import dev.quorate.node.coordinator.Explanation;
import dev.quorate.node.coordinator.Operations;
import dev.quorate.node.coordinator.Outcome;
import dev.quorate.node.coordinator.OutcomeCallback;
import dev.quorate.node.http.HeaderLines;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.HttpHead;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.runtime.HeldRoom;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The API for clients: routes a request, parses its parameters, executes it through {@link
 * Operations}, and answers. Every refusal comes before any work.
 */
public final class ClientApi implements HttpHandler {

    /** Longest key, in bytes after percent-decoding. */
    public static final int MAX_KEY_BYTES = RequestReader.MAX_KEY_BYTES;

    /** Ranges that are compressed at once. */
    public static final int MAX_COMPRESSED = Gzip.MAX_STREAMS;

    private static final String ENTITY = "/v0/entity";
    private static final String ENTITIES = "/v0/entities";
    private static final String STATUS = "/v0/status";
    private static final String OPEN_API = "/openapi.json";
    private static final String REPAIR = "/admin/repair";
    private static final String LOSS = "/admin/loss";
    private static final String WHY = "/admin/why";

    private static final String ENTITY_METHODS = "GET, HEAD, PUT, DELETE";
    private static final String ENTITIES_METHODS = "GET, HEAD, POST";
    private static final String READ_METHODS = "GET, HEAD";
    private static final byte[] NOTHING = {};

    /** Of the whole node, to {@code OPTIONS *}. */
    private static final HttpResponse OPTIONS =
            new HttpResponse(204, List.of("Allow: GET, HEAD, PUT, DELETE, POST, OPTIONS"), NOTHING);

    private static final List<String> ENTITY_PARAMETERS =
            List.of("id", "replicas", "ack", "from", "consistency", "explain");
    private static final List<String> PUT_PARAMETERS =
            List.of("id", "replicas", "ack", "from", "consistency", "explain", "ttl");

    private static final List<String> LOSS_PARAMETERS = List.of("accept");
    private static final List<String> WHY_PARAMETERS = List.of("id");
    private static final List<String> STATUS_PARAMETERS = List.of("bytes");

    private static final HttpResponse SERVING =
            new HttpResponse(
                    200,
                    List.of("Content-Type: text/plain"),
                    ("The node serves. Its readiness is at /readyz, its figures at /metrics,"
                                    + " the cluster's ring is at /.\n")
                            .getBytes(StandardCharsets.US_ASCII));

    /** Cached: under overload it is sent often. */
    private static final HttpResponse OVERLOADED =
            Problem.of(503, "The node is overloaded. Nothing was" + " attempted.")
                    .header("Retry-After: 1")
                    .response();

    /** The memory of longer bodies counts until no replica needs them. */
    private static final int MAX_UNCOUNTED_BYTES = 65_536;

    /** The longest status page. */
    private static final int MAX_FILLER_BYTES = 65_536;

    private final Operations operations;
    private final RequestReader reader;
    private final Batches batches;
    private final CrossOrigin origins;
    private final Gzip gzip;
    private final AdminPages pages;
    private final Predicate<@Nullable String> isKnownHost;
    private final BooleanSupplier draining;
    private final ClientObserver observer;
    private final Ticker ticker;

    /** The last one sent: load tests request the same size again and again. */
    private volatile HttpResponse lastFiller = SERVING;

    /**
     * Creates the API of one node.
     *
     * @param draining whether the node is stopping and refuses new requests
     * @param compressor compresses ranges; must take {@link #MAX_COMPRESSED} tasks at once
     */
    public ClientApi(
            Operations operations,
            ApiOptions options,
            AdminPages pages,
            BooleanSupplier draining,
            ClientObserver observer,
            Executor compressor,
            Ticker ticker) {
        this.operations = operations;
        this.reader =
                new RequestReader(
                        options.members(), QuorumSpec.majority(options.replicationFactor()));
        this.origins = new CrossOrigin(options.corsOrigins());
        this.gzip = new Gzip(compressor);
        this.batches = new Batches(operations, reader, observer, ticker);
        this.pages = pages;
        this.isKnownHost = pages::isKnownAs;
        this.draining = draining;
        this.observer = observer;
        this.ticker = ticker;
    }

    @Override
    public void handle(HttpRequest request, HttpExchange exchange) {
        String origin = origins.listed(request.path(), request.headers());
        HttpExchange shown = origin == null ? exchange : CrossOrigin.shown(exchange, origin);
        HttpResponse preflight =
                origin == null ? null : CrossOrigin.preflight(request.method(), request.headers());
        if (preflight == null) {
            answer(request, shown, origin != null);
        } else {
            shown.respond(preflight);
            observer.answered(Operation.OTHER, preflight.status(), 0);
        }
    }

    private void answer(HttpRequest request, HttpExchange exchange, boolean isListedOrigin) {
        long startedNanos = ticker.nanos();
        boolean isWrite = !request.method().equals("GET") && !request.method().equals("HEAD");
        if (request.path().equals(ENTITY) && operations.refusesNow(isWrite)) {
            respond(operation(request), OVERLOADED, exchange, startedNanos);
            return;
        }
        HttpResponse refusal =
                RequestRules.refusal(
                        request.method(),
                        request.path(),
                        request.headers(),
                        isListedOrigin,
                        isKnownHost);
        if (refusal != null) {
            respond(operation(request), refusal, exchange, startedNanos);
            return;
        }
        try {
            route(request, exchange, startedNanos);
        } catch (RefusedException e) {
            exchange.respond(e.response());
            observer.answered(
                    operation(request), e.response().status(), ticker.nanos() - startedNanos);
        }
    }

    @Override
    public @Nullable HttpResponse refusal(HttpHead head) {
        String origin = origins.listed(head.path(), head);
        HttpResponse refusal = refusal(head, origin != null);
        return refusal == null || origin == null ? refusal : CrossOrigin.shown(refusal, origin);
    }

    private @Nullable HttpResponse refusal(HttpHead head, boolean isListedOrigin) {
        boolean isPut = head.method().equals("PUT") && head.path().equals(ENTITY);
        boolean isBatch = head.method().equals("POST") && head.path().equals(ENTITIES);
        if ((isPut || isBatch) && operations.refusesNow(true)) {
            observer.answered(isPut ? Operation.PUT : Operation.BATCH, OVERLOADED.status(), 0);
            return OVERLOADED;
        }
        return isBatch || head.expectsContinue() ? refusalBeforeBody(head, isListedOrigin) : null;
    }

    /** What can be refused without the body, of a batch, or of whoever waits for 100 (Continue). */
    private @Nullable HttpResponse refusalBeforeBody(HttpHead head, boolean isListedOrigin) {
        HttpRequest request =
                new HttpRequest(head.method(), head.path(), head.query(), head, NOTHING);
        HttpResponse refusal =
                RequestRules.refusal(head.method(), head.path(), head, isListedOrigin, isKnownHost);
        try {
            if (refusal == null) {
                requireTakesBody(request);
            }
        } catch (RefusedException e) {
            refusal = e.response();
        }
        if (refusal != null) {
            observer.answered(operation(request), refusal.status(), 0);
        }
        return refusal;
    }

    /** Checks everything about a request with a body that precedes the body. */
    private void requireTakesBody(HttpRequest request) throws RefusedException {
        switch (request.path()) {
            case ENTITY -> {
                if (operation(request) == Operation.OTHER) {
                    throw methodNotAllowed(ENTITY_METHODS);
                }
                boolean isPut = operation(request) == Operation.PUT;
                QueryParameters parameters =
                        RequestReader.parameters(
                                request.query(), isPut ? PUT_PARAMETERS : ENTITY_PARAMETERS);
                var _ = RequestReader.key("id", parameters.raw("id"));
                var _ =
                        RequestReader.withConsistency(
                                parameters.raw("consistency"), reader.spec(parameters), operations);
                var _ = RequestReader.isExplained(parameters.raw("explain"));
                var _ = isPut ? RequestReader.timeToLive(parameters.raw("ttl")) : null;
                var _ = RequestReader.version(request.headers());
                var _ = RequestReader.writeCondition(request.headers(), reader.spec(parameters));
                requireServing();
            }
            case ENTITIES -> {
                if (request.method().equals("POST")) {
                    batches.requireHead(request.query(), request.headers());
                    requireServing();
                } else {
                    requireRead(request, ENTITIES_METHODS);
                }
            }
            case STATUS, WHY, OPEN_API, "/livez", "/readyz", "/metrics", "/" ->
                    requireRead(request, READ_METHODS);
            case REPAIR, LOSS -> requireServing();
            default -> throw nothingHere();
        }
    }

    private static Operation operation(HttpRequest request) {
        return switch (request.path()) {
            case ENTITY ->
                    switch (request.method()) {
                        case "GET", "HEAD" -> Operation.GET;
                        case "PUT" -> Operation.PUT;
                        case "DELETE" -> Operation.DELETE;
                        default -> Operation.OTHER;
                    };
            case ENTITIES -> request.method().equals("POST") ? Operation.BATCH : Operation.SCAN;
            case STATUS -> Operation.STATUS;
            case "/livez", "/readyz", "/metrics", "/", OPEN_API, REPAIR, LOSS, WHY ->
                    Operation.PAGE;
            default -> Operation.OTHER;
        };
    }

    private void route(HttpRequest request, HttpExchange exchange, long startedNanos)
            throws RefusedException {
        switch (request.path()) {
            case ENTITY -> entity(request, exchange, startedNanos);
            case ENTITIES -> entities(request, exchange, startedNanos);
            case STATUS -> {
                requireRead(request, READ_METHODS);
                HttpResponse response =
                        request.query() == null
                                ? SERVING
                                : filler(
                                        RequestReader.parameters(request.query(), STATUS_PARAMETERS)
                                                .raw("bytes"));
                requireServing();
                String why = pages.whyNotServing();
                if (why != null) {
                    throw new RefusedException(
                            Problem.of(503, why).header("Retry-After: 1").response());
                }
                exchange.respond(response);
                observer.answered(Operation.STATUS, 200, ticker.nanos() - startedNanos);
            }
            case REPAIR -> {
                if (request.method().equals("POST")) {
                    requireServing();
                    pages.act(REPAIR, observed(exchange, startedNanos));
                } else {
                    requireRead(request, READ_METHODS);
                    pages.page(REPAIR, observed(exchange, startedNanos));
                }
            }
            case LOSS -> loss(request, observed(exchange, startedNanos));
            case WHY -> {
                requireRead(request, READ_METHODS);
                byte[] key =
                        RequestReader.key(
                                "id",
                                RequestReader.parameters(request.query(), WHY_PARAMETERS)
                                        .raw("id"));
                String accept = request.headers().first("accept");
                boolean isForPeople = accept != null && accept.startsWith("text/plain");
                pages.why(key, isForPeople, observed(exchange, startedNanos));
            }
            case "/livez", "/readyz", "/metrics", "/" -> {
                requireRead(request, READ_METHODS);
                HttpExchange compressed = gzip.compressed(exchange, request.headers());
                pages.page(request.path(), observed(compressed, startedNanos));
            }
            case OPEN_API -> {
                requireRead(request, READ_METHODS);
                HttpExchange compressed = gzip.compressed(exchange, request.headers());
                observed(compressed, startedNanos).respond(OpenApiPage.page());
            }
            case "*" -> {
                if (!request.method().equals("OPTIONS")) {
                    throw nothingHere();
                }
                exchange.respond(OPTIONS);
                observer.answered(Operation.OTHER, 204, ticker.nanos() - startedNanos);
            }
            default -> throw nothingHere();
        }
    }

    private static RefusedException nothingHere() {
        return new RefusedException(
                400,
                "There is nothing here. Entities are at /v0/entity?id=KEY,"
                        + " ranges at /v0/entities?start=KEY, all of it is described at"
                        + " /openapi.json.");
    }

    private void loss(HttpRequest request, HttpExchange exchange) throws RefusedException {
        if (!request.method().equals("POST")) {
            requireRead(request, READ_METHODS);
            pages.page(LOSS, exchange);
            return;
        }
        String name = RequestReader.parameters(request.query(), LOSS_PARAMETERS).raw("accept");
        if (name == null || name.isEmpty()) {
            throw new RefusedException(
                    400, "'accept' must be the name of the loss, as a GET here shows it.");
        }
        requireServing();
        pages.acceptLoss(name, exchange);
    }

    private HttpExchange observed(HttpExchange exchange, long startedNanos) {
        return new HttpExchange() {
            @Override
            public void respond(HttpResponse response) {
                exchange.respond(response);
                note(response);
            }

            @Override
            public void stream(HttpResponse head, StreamSource source) {
                exchange.stream(head, source);
                note(head);
            }

            private void note(HttpResponse response) {
                observer.answered(Operation.PAGE, response.status(), ticker.nanos() - startedNanos);
            }
        };
    }

    private static void requireRead(HttpRequest request, String allowed) throws RefusedException {
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            throw methodNotAllowed(allowed);
        }
    }

    private static RefusedException methodNotAllowed(String allowed) {
        return new RefusedException(
                Problem.of(405, "The methods here are " + allowed + ".")
                        .header("Allow: " + allowed)
                        .response());
    }

    private void requireServing() throws RefusedException {
        if (draining.getAsBoolean()) {
            throw new RefusedException(
                    Problem.of(503, "The node is stopping. Nothing was attempted.")
                            .header("Retry-After: 1")
                            .response());
        }
    }

    // ---- One entity.

    private void entity(HttpRequest request, HttpExchange exchange, long startedNanos)
            throws RefusedException {
        Operation operation = operation(request);
        if (operation == Operation.OTHER) {
            throw methodNotAllowed(ENTITY_METHODS);
        }
        QueryParameters parameters =
                RequestReader.parameters(
                        request.query(),
                        operation == Operation.PUT ? PUT_PARAMETERS : ENTITY_PARAMETERS);
        byte[] key = RequestReader.key("id", parameters.raw("id"));
        QuorumSpec spec = reader.spec(parameters);
        Operations operations =
                RequestReader.withConsistency(parameters.raw("consistency"), spec, this.operations);
        OutcomeCallback callback =
                RequestReader.isExplained(parameters.raw("explain"))
                        ? new Explained(operation, request.body().length, exchange, startedNanos)
                        : new Answered(operation, request.body().length, exchange, startedNanos);
        if (operation == Operation.GET) {
            requireServing();
            ReadCondition condition = ReadCondition.of(request.headers());
            operations.read(
                    key,
                    spec,
                    condition == null
                            ? callback
                            : new ConditionalRead(
                                    condition,
                                    callback,
                                    response ->
                                            respond(operation, response, exchange, startedNanos)));
            return;
        }
        Duration timeToLive =
                operation == Operation.PUT ? RequestReader.timeToLive(parameters.raw("ttl")) : null;
        Timestamp version = RequestReader.version(request.headers());
        Condition writeCondition = RequestReader.writeCondition(request.headers(), spec);
        requireServing();
        if (writeCondition != null) {
            RequestReader.requireConditionalLength(request.body().length);
            byte[] value = operation == Operation.PUT ? request.body() : null;
            operations.writeIf(key, value, timeToLive, writeCondition, version, spec, callback);
            return;
        }
        if (operation == Operation.PUT) {
            operations.put(key, request.body(), timeToLive, version, spec, callback);
        } else {
            operations.delete(key, version, spec, callback);
        }
    }

    /** The status page padded to a size: a measure of what any answer of that size costs. */
    private HttpResponse filler(@Nullable String raw) throws RefusedException {
        if (raw == null) {
            return SERVING;
        }
        long bytes = raw.equals("0") ? 0 : RequestReader.number(raw);
        if ((bytes == 0 && !raw.equals("0")) || bytes > MAX_FILLER_BYTES) {
            throw new RefusedException(
                    400,
                    "'bytes' must be a number, 0 to " + MAX_FILLER_BYTES + ", in plain digits.");
        }
        HttpResponse response = lastFiller;
        if (response.body().length != bytes) {
            byte[] body = new byte[(int) bytes];
            Arrays.fill(body, (byte) '.');
            response = new HttpResponse(200, SERVING.headers(), body);
            lastFiller = response;
        }
        return response;
    }

    private static HttpResponse response(Operation operation, Outcome outcome, HeaderLines more) {
        return OutcomeAnswers.response(outcome, operation == Operation.PUT ? 201 : 202, more);
    }

    private void respond(
            Operation operation, HttpResponse response, HttpExchange exchange, long startedNanos) {
        respond(operation, response, HeldRoom.NONE, exchange, startedNanos);
    }

    private void respond(
            Operation operation,
            HttpResponse response,
            HeldRoom room,
            HttpExchange exchange,
            long startedNanos) {
        if (operation == Operation.PUT || operation == Operation.DELETE) {
            // One log thread completes a group of writes; sending a hundred answers would take it
            // longer than the disk took: the selectors share that.
            exchange.respondFromSelector(response);
        } else {
            exchange.respond(response, room);
        }
        observer.answered(operation, response.status(), ticker.nanos() - startedNanos);
    }

    /** Answers with the outcome. */
    private class Answered implements OutcomeCallback {

        private final Operation operation;
        private final int bodyBytes;
        private final HttpExchange exchange;
        private final long startedNanos;

        /** What is reserved for the value of the outcome. */
        private HeldRoom room = HeldRoom.NONE;

        /**
         * @param bodyBytes of the request
         */
        Answered(Operation operation, int bodyBytes, HttpExchange exchange, long startedNanos) {
            this.operation = operation;
            this.bodyBytes = bodyBytes;
            this.exchange = exchange;
            this.startedNanos = startedNanos;
        }

        /** Late replicas may need a small body longer than it is counted. */
        @Override
        public @Nullable Runnable keepsValue() {
            return bodyBytes > MAX_UNCOUNTED_BYTES ? exchange.keepBody() : null;
        }

        @Override
        public void takes(HeldRoom valueRoom) {
            room = valueRoom;
        }

        @Override
        public void completed(Outcome outcome) {
            answer(outcome, HeaderLines.NONE);
        }

        void answer(Outcome outcome, HeaderLines why) {
            HttpResponse response = response(operation, outcome, why);
            respond(operation, response, room, exchange, startedNanos);
        }
    }

    /** Answers with the explanation of the outcome. */
    private final class Explained extends Answered {

        Explained(Operation operation, int bodyBytes, HttpExchange exchange, long startedNanos) {
            super(operation, bodyBytes, exchange, startedNanos);
        }

        @Override
        public boolean isExplained() {
            return true;
        }

        @Override
        public void completed(Outcome outcome) {
            HeaderLines why =
                    outcome instanceof Outcome.Refused refused
                            ? Explaining.nobodyAsked(refused.reason())
                            : HeaderLines.NONE;
            answer(outcome, why);
        }

        @Override
        public void completed(Outcome outcome, Explanation explanation) {
            answer(outcome, Explaining.headers(explanation));
        }
    }

    // ---- Ranges and batches.

    private void entities(HttpRequest request, HttpExchange exchange, long startedNanos)
            throws RefusedException {
        if (request.method().equals("POST")) {
            batches.requireHead(request.query(), request.headers());
            requireServing();
            batches.execute(request, exchange);
            return;
        }
        requireRead(request, ENTITIES_METHODS);
        RangeRequest range = RangeRequest.of(request, reader);
        requireServing();
        new EntityStream(
                        operations.scan(range.start(), range.end(), range.spec(), range.scope()),
                        range,
                        gzip.compressed(exchange, request.headers()),
                        status ->
                                observer.answered(
                                        Operation.SCAN, status, ticker.nanos() - startedNanos))
                .start();
    }
}
