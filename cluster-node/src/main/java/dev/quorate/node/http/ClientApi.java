package dev.quorate.node.http;

import dev.quorate.node.clock.Ticker;
import dev.quorate.node.coordinator.Explanation;
import dev.quorate.node.coordinator.Operations;
import dev.quorate.node.coordinator.Outcome;
import dev.quorate.node.coordinator.OutcomeCallback;
import dev.quorate.node.coordinator.ScanScope;
import dev.quorate.node.http.ClientObserver.Operation;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The API that clients speak: routes a request, reads its parameters, has {@link Operations} do it,
 * and answers. Every refusal comes before anything is done.
 */
public final class ClientApi implements HttpHandler {

    /** Longest key, in bytes after percent-decoding. */
    public static final int MAX_KEY_BYTES = 1024;

    private static final String ENTITY = "/v0/entity";
    private static final String ENTITIES = "/v0/entities";
    private static final String STATUS = "/v0/status";
    private static final String REPAIR = "/admin/repair";
    private static final String LOSS = "/admin/loss";
    private static final String WHY = "/admin/why";

    private static final List<String> ENTITY_PARAMETERS =
            List.of("id", "replicas", "ack", "from", "consistency", "explain");
    private static final List<String> PUT_PARAMETERS =
            List.of("id", "replicas", "ack", "from", "consistency", "explain", "ttl");
    private static final List<String> ENTITIES_PARAMETERS =
            List.of("start", "end", "limit", "scope", "replicas", "ack", "from");

    private static final List<String> LOSS_PARAMETERS = List.of("accept");
    private static final List<String> WHY_PARAMETERS = List.of("id");
    private static final List<String> STATUS_PARAMETERS = List.of("bytes");

    private static final String VERSION_HEADER = "x-quorate-version";
    private static final int MAX_NUMBER_DIGITS = 18;

    /** Ten years. */
    private static final long MAX_TTL_SECONDS = 315_360_000;

    private static final HttpResponse SERVING =
            new HttpResponse(
                    200,
                    List.of("Content-Type: text/plain"),
                    ("The node serves. Its readiness is at /readyz, its figures at /metrics,"
                                    + " the cluster's ring is at /.\n")
                            .getBytes(StandardCharsets.US_ASCII));

    /** Made once: under overload it is made often. */
    private static final HttpResponse OVERLOADED =
            Problem.of(
                            503,
                            "The node has more to do than it can do in time. Nothing was"
                                    + " attempted.")
                    .header("Retry-After: 1")
                    .response();

    /** Longest status page that can be asked for. */
    private static final int MAX_FILLER_BYTES = 65_536;

    /** A request that is refused before anything is done. */
    private static final class RefusedException extends Exception {

        private final transient HttpResponse response;

        RefusedException(int status, String detail) {
            this(Problem.response(status, detail));
        }

        RefusedException(HttpResponse response) {
            super(null, null, false, false);
            this.response = response;
        }
    }

    private final Operations operations;
    private final int members;
    private final QuorumSpec defaultSpec;
    private final AdminPages pages;
    private final BooleanSupplier draining;
    private final ClientObserver observer;
    private final Ticker ticker;

    /** The last one asked for: load tests ask for the same size again and again. */
    private volatile HttpResponse lastFiller = SERVING;

    /**
     * Makes the API of one node.
     *
     * @param members how many nodes the cluster has
     * @param replicationFactor {@code from} where a client gives none
     * @param draining whether the node is stopping, and turns new requests away
     */
    public ClientApi(
            Operations operations,
            int members,
            int replicationFactor,
            AdminPages pages,
            BooleanSupplier draining,
            ClientObserver observer,
            Ticker ticker) {
        this.operations = operations;
        this.members = members;
        this.defaultSpec = QuorumSpec.majority(replicationFactor);
        this.pages = pages;
        this.draining = draining;
        this.observer = observer;
        this.ticker = ticker;
    }

    @Override
    public void handle(HttpRequest request, HttpExchange exchange) {
        long startedNanos = ticker.nanos();
        boolean isWrite = !request.method().equals("GET") && !request.method().equals("HEAD");
        if (request.path().equals(ENTITY) && operations.refusesNow(isWrite)) {
            respond(operation(request), OVERLOADED, exchange, startedNanos);
            return;
        }
        try {
            route(request, exchange, startedNanos);
        } catch (RefusedException e) {
            exchange.respond(e.response);
            observer.answered(
                    operation(request), e.response.status(), ticker.nanos() - startedNanos);
        }
    }

    @Override
    public @Nullable HttpResponse refusal(String method, String path) {
        if (!method.equals("PUT") || !path.equals(ENTITY) || !operations.refusesNow(true)) {
            return null;
        }
        observer.answered(Operation.PUT, OVERLOADED.status(), 0);
        return OVERLOADED;
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
            case ENTITIES -> Operation.SCAN;
            case STATUS -> Operation.STATUS;
            case "/livez", "/readyz", "/metrics", "/", REPAIR, LOSS, WHY -> Operation.PAGE;
            default -> Operation.OTHER;
        };
    }

    private void route(HttpRequest request, HttpExchange exchange, long startedNanos)
            throws RefusedException {
        switch (request.path()) {
            case ENTITY -> entity(request, exchange, startedNanos);
            case ENTITIES -> entities(request, exchange, startedNanos);
            case STATUS -> {
                requireRead(request);
                HttpResponse response =
                        request.query() == null
                                ? SERVING
                                : filler(parameters(request, STATUS_PARAMETERS).raw("bytes"));
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
                    requireRead(request);
                    pages.page(REPAIR, observed(exchange, startedNanos));
                }
            }
            case LOSS -> loss(request, observed(exchange, startedNanos));
            case WHY -> {
                requireRead(request);
                byte[] key = key("id", parameters(request, WHY_PARAMETERS).raw("id"));
                String accept = request.headers().first("accept");
                boolean isForPeople = accept != null && accept.startsWith("text/plain");
                pages.why(key, isForPeople, observed(exchange, startedNanos));
            }
            case "/livez", "/readyz", "/metrics", "/" -> {
                requireRead(request);
                pages.page(request.path(), observed(exchange, startedNanos));
            }
            default ->
                    throw new RefusedException(
                            400,
                            "There is nothing here. Entities are at /v0/entity?id=KEY,"
                                    + " ranges at /v0/entities?start=KEY.");
        }
    }

    private void loss(HttpRequest request, HttpExchange exchange) throws RefusedException {
        if (!request.method().equals("POST")) {
            requireRead(request);
            pages.page(LOSS, exchange);
            return;
        }
        String name = parameters(request, LOSS_PARAMETERS).raw("accept");
        if (name == null || name.isEmpty()) {
            throw new RefusedException(
                    400, "'accept' has to be the name of the loss, as a GET here shows it.");
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

    private static void requireRead(HttpRequest request) throws RefusedException {
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            throw methodNotAllowed("GET, HEAD");
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
            throw methodNotAllowed("GET, HEAD, PUT, DELETE");
        }
        QueryParameters parameters =
                parameters(
                        request, operation == Operation.PUT ? PUT_PARAMETERS : ENTITY_PARAMETERS);
        byte[] key = key("id", parameters.raw("id"));
        QuorumSpec spec = spec(parameters);
        Operations operations = withConsistency(parameters.raw("consistency"), spec);
        OutcomeCallback callback =
                isExplained(parameters.raw("explain"))
                        ? new Explained(operation, exchange, startedNanos)
                        : outcome -> answer(operation, outcome, exchange, startedNanos);
        if (operation == Operation.GET) {
            requireServing();
            operations.read(key, spec, callback);
            return;
        }
        Duration timeToLive = operation == Operation.PUT ? timeToLive(parameters.raw("ttl")) : null;
        Timestamp version = version(request);
        requireServing();
        if (operation == Operation.PUT) {
            operations.put(key, request.body(), timeToLive, version, spec, callback);
        } else {
            operations.delete(key, version, spec, callback);
        }
    }

    private Operations withConsistency(@Nullable String raw, QuorumSpec spec)
            throws RefusedException {
        if (raw == null || raw.equals("quorum")) {
            return operations;
        }
        if (!raw.equals("linearizable")) {
            throw new RefusedException(400, "'consistency' has to be quorum or linearizable.");
        }
        if (!spec.isMajority()) {
            throw new RefusedException(
                    400,
                    "'consistency=linearizable' needs the answers of a majority, and "
                            + spec
                            + " is none.");
        }
        return operations.linearizable();
    }

    /** The status page at the size that was asked for: what any answer of that size costs. */
    private HttpResponse filler(@Nullable String raw) throws RefusedException {
        if (raw == null) {
            return SERVING;
        }
        long bytes = raw.equals("0") ? 0 : number(raw);
        if ((bytes == 0 && !raw.equals("0")) || bytes > MAX_FILLER_BYTES) {
            throw new RefusedException(
                    400,
                    "'bytes' has to be a number, 0 to " + MAX_FILLER_BYTES + ", in plain digits.");
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

    private static boolean isExplained(@Nullable String raw) throws RefusedException {
        return switch (raw) {
            case null -> false;
            case "0" -> false;
            case "1" -> true;
            default -> throw new RefusedException(400, "'explain' has to be 1 or 0.");
        };
    }

    private void answer(
            Operation operation, Outcome outcome, HttpExchange exchange, long startedNanos) {
        HttpResponse response = response(operation, outcome, HeaderLines.NONE);
        respond(operation, response, exchange, startedNanos);
    }

    private static HttpResponse response(Operation operation, Outcome outcome, HeaderLines more) {
        return OutcomeAnswers.response(outcome, operation == Operation.PUT ? 201 : 202, more);
    }

    private void respond(
            Operation operation, HttpResponse response, HttpExchange exchange, long startedNanos) {
        exchange.respond(response);
        observer.answered(operation, response.status(), ticker.nanos() - startedNanos);
    }

    /** Answers, and says how the answer came about. */
    private final class Explained implements OutcomeCallback {

        private final Operation operation;
        private final HttpExchange exchange;
        private final long startedNanos;

        Explained(Operation operation, HttpExchange exchange, long startedNanos) {
            this.operation = operation;
            this.exchange = exchange;
            this.startedNanos = startedNanos;
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
            respond(operation, response(operation, outcome, why), exchange, startedNanos);
        }

        @Override
        public void completed(Outcome outcome, Explanation explanation) {
            HeaderLines why = Explaining.headers(explanation);
            respond(operation, response(operation, outcome, why), exchange, startedNanos);
        }
    }

    // ---- A range.

    private void entities(HttpRequest request, HttpExchange exchange, long startedNanos)
            throws RefusedException {
        requireRead(request);
        QueryParameters parameters = parameters(request, ENTITIES_PARAMETERS);
        byte[] start = key("start", parameters.raw("start"));
        String rawEnd = parameters.raw("end");
        byte[] end = rawEnd == null ? null : key("end", rawEnd);
        long limit = limit(parameters.raw("limit"));
        ScanScope scope = scope(parameters.raw("scope"));
        QuorumSpec spec = spec(parameters);
        EntityFormat format = EntityFormat.accepted(request.headers().first("accept"));
        requireServing();
        new EntityStream(
                        operations.scan(start, end, spec, scope),
                        format,
                        limit,
                        exchange,
                        status ->
                                observer.answered(
                                        Operation.SCAN, status, ticker.nanos() - startedNanos))
                .start();
    }

    private static long limit(@Nullable String raw) throws RefusedException {
        if (raw == null) {
            return Long.MAX_VALUE;
        }
        long limit = number(raw);
        if (limit == 0) {
            throw new RefusedException(
                    400, "'limit' has to be a number of entities, at least 1, in plain digits.");
        }
        return limit;
    }

    /** A number in plain digits; 0 if it is none, or too long to be any. */
    private static long number(String raw) {
        long number = 0;
        boolean isNumber = !raw.isEmpty() && raw.length() <= MAX_NUMBER_DIGITS;
        for (int i = 0; isNumber && i < raw.length(); i++) {
            int digit = raw.charAt(i) - '0';
            isNumber = digit >= 0 && digit <= 9;
            number = 10 * number + digit;
        }
        return isNumber ? number : 0;
    }

    private static @Nullable Duration timeToLive(@Nullable String raw) throws RefusedException {
        if (raw == null) {
            return null;
        }
        long seconds = number(raw);
        if (seconds == 0 || seconds > MAX_TTL_SECONDS) {
            throw new RefusedException(
                    400,
                    "'ttl' has to be a number of seconds, 1 to "
                            + MAX_TTL_SECONDS
                            + ", in plain digits.");
        }
        return Duration.ofSeconds(seconds);
    }

    private static ScanScope scope(@Nullable String raw) throws RefusedException {
        return switch (raw) {
            case null -> ScanScope.CLUSTER;
            case "cluster" -> ScanScope.CLUSTER;
            case "node" -> ScanScope.NODE;
            default -> throw new RefusedException(400, "'scope' has to be node or cluster.");
        };
    }

    // ---- Parameters.

    private static QueryParameters parameters(HttpRequest request, List<String> known)
            throws RefusedException {
        try {
            return QueryParameters.parse(request.query(), known);
        } catch (QueryParameters.InvalidQueryException e) {
            throw new RefusedException(400, String.valueOf(e.getMessage()));
        }
    }

    private static byte[] key(String name, @Nullable String raw) throws RefusedException {
        if (raw == null || raw.isEmpty()) {
            throw new RefusedException(
                    400, "'" + name + "' is missing: it has to be a key of at least one byte.");
        }
        byte[] key = decode(name, raw);
        if (key.length > MAX_KEY_BYTES) {
            throw new RefusedException(
                    414,
                    "'" + name + "' is longer than " + MAX_KEY_BYTES + " bytes after decoding.");
        }
        return key;
    }

    private static byte[] decode(String name, String raw) throws RefusedException {
        try {
            return Percent.decode(raw);
        } catch (Percent.MalformedEscapeException e) {
            throw new RefusedException(
                    400, "'" + name + "' is not percent-encoded well. " + e.getMessage());
        }
    }

    /** The replicas to ask, in either spelling; those of the default where none is given. */
    private QuorumSpec spec(QueryParameters parameters) throws RefusedException {
        String replicas = parameters.raw("replicas");
        String ack = parameters.raw("ack");
        String from = parameters.raw("from");
        if (replicas == null && ack == null && from == null) {
            return defaultSpec;
        }
        if (replicas != null && (ack != null || from != null)) {
            throw new RefusedException(
                    400, "'replicas' says it all: 'ack' and 'from' cannot be given beside it.");
        }
        try {
            if (replicas != null) {
                return QuorumSpec.parse(text("replicas", replicas), members);
            }
            String fromText =
                    from == null ? Integer.toString(defaultSpec.from()) : text("from", from);
            if (ack == null) {
                QuorumSpec all = QuorumSpec.parse("1", fromText, members);
                return QuorumSpec.majority(all.from());
            }
            return QuorumSpec.parse(text("ack", ack), fromText, members);
        } catch (QuorumSpec.InvalidException e) {
            throw new RefusedException(400, String.valueOf(e.getMessage()));
        }
    }

    /** Clients may send {@code 2%2F3}; a byte that is no ASCII comes out as no digit. */
    private static String text(String name, String raw) throws RefusedException {
        return new String(decode(name, raw), StandardCharsets.ISO_8859_1);
    }

    private static @Nullable Timestamp version(HttpRequest request) throws RefusedException {
        String text = request.headers().first(VERSION_HEADER);
        if (text == null) {
            return null;
        }
        try {
            if (!request.headers().isRepeated(VERSION_HEADER)) {
                return Timestamp.parse(text);
            }
        } catch (IllegalArgumentException e) {
            // Answered below.
        }
        throw new RefusedException(
                400, "X-Quorate-Version has to be one version, as an earlier answer gave it.");
    }
}
