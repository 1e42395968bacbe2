package dev.quorate.node.api;

import dev.quorate.node.api.ClientObserver.Operation;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.runtime.HeldRoom;
import dev.quorate.node.runtime.Ticker;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Routes the requests that are for no entity: status, pages, and what operators do. */
final class PageRoutes {

    private static final String STATUS = "/v0/status";
    private static final String RING = "/v0/ring";
    private static final String OPEN_API = "/openapi.json";
    private static final String REPAIR = "/admin/repair";
    private static final String LOSS = "/admin/loss";
    private static final String CHECKPOINT = "/admin/checkpoint";
    private static final String CHECKPOINT_FILES = "/admin/checkpoint/files";
    private static final String CHECKPOINT_FILE = "/admin/checkpoint/file";
    private static final String LOG_LEVEL = "/admin/log-level";
    private static final String WHY = "/admin/why";
    private static final String CAN_STOP = "/admin/can-stop";
    private static final String EVENTS = "/admin/events";
    private static final String CONSOLE = "/admin/console";
    private static final String STREAM = "/admin/console/stream";

    private static final String READ_METHODS = "GET, HEAD";
    private static final String ACT_METHODS = "GET, HEAD, POST";
    private static final String CHECKPOINT_METHODS = "GET, HEAD, POST, DELETE";
    private static final byte[] NOTHING = {};

    /** Of the whole node, to {@code OPTIONS *}. */
    private static final HttpResponse OPTIONS =
            new HttpResponse(204, List.of("Allow: GET, HEAD, PUT, DELETE, POST, OPTIONS"), NOTHING);

    private static final List<String> LOSS_PARAMETERS = List.of("accept");
    private static final List<String> CHECKPOINT_PARAMETERS = List.of("name");
    private static final List<String> FILE_PARAMETERS = List.of("name", "path", "offset");
    private static final String LOG_LEVEL_METHODS = "GET, HEAD, PUT";
    private static final List<String> LOG_LEVEL_PARAMETERS = List.of("level", "logger");
    private static final List<String> WHY_PARAMETERS = List.of("id");
    private static final List<String> EVENTS_PARAMETERS = List.of("since");
    private static final List<String> STATUS_PARAMETERS = List.of("bytes");

    private static final HttpResponse SERVING =
            new HttpResponse(
                    200,
                    List.of("Content-Type: text/plain"),
                    ("The node serves. Its readiness is at /readyz, its figures at /metrics,"
                                    + " the cluster's ring is at /.\n")
                            .getBytes(StandardCharsets.US_ASCII));

    /** The longest status page. */
    private static final int MAX_FILLER_BYTES = 65_536;

    private final AdminPages pages;
    private final Authorization authorization;
    private final Gzip gzip;
    private final BooleanSupplier draining;
    private final ClientObserver observer;
    private final Ticker ticker;

    /** The last one sent: load tests request the same size again and again. */
    private volatile HttpResponse lastFiller = SERVING;

    PageRoutes(
            AdminPages pages,
            Authorization authorization,
            Gzip gzip,
            BooleanSupplier draining,
            ClientObserver observer,
            Ticker ticker) {
        this.pages = pages;
        this.authorization = authorization;
        this.gzip = gzip;
        this.draining = draining;
        this.observer = observer;
        this.ticker = ticker;
    }

    static Operation operation(String path) {
        return switch (path) {
            case STATUS -> Operation.STATUS;
            case "/livez",
                    "/readyz",
                    "/metrics",
                    "/",
                    RING,
                    OPEN_API,
                    REPAIR,
                    LOSS,
                    CHECKPOINT,
                    CHECKPOINT_FILES,
                    CHECKPOINT_FILE,
                    LOG_LEVEL,
                    WHY,
                    CAN_STOP,
                    EVENTS,
                    CONSOLE,
                    STREAM ->
                    Operation.PAGE;
            default -> Operation.OTHER;
        };
    }

    /** Checks everything about a request with a body that precedes the body. */
    void requireTakesBody(HttpRequest request) throws RefusedException {
        switch (request.path()) {
            case STATUS,
                    CHECKPOINT_FILES,
                    CHECKPOINT_FILE,
                    WHY,
                    CAN_STOP,
                    EVENTS,
                    CONSOLE,
                    STREAM,
                    RING,
                    OPEN_API,
                    "/livez",
                    "/readyz",
                    "/metrics",
                    "/" ->
                    RequestRules.requireRead(request, READ_METHODS);
            case REPAIR, LOSS, CHECKPOINT, LOG_LEVEL -> RequestRules.requireServing(draining);
            default -> throw nothingHere();
        }
    }

    void route(HttpRequest request, HttpExchange exchange, long startedNanos)
            throws RefusedException {
        if (Route.of(request.path()) == null) {
            throw nothingHere();
        }
        HttpExchange observed = observed(exchange, startedNanos);
        switch (request.path()) {
            case STATUS -> status(request, exchange, startedNanos);
            case REPAIR -> repair(request, observed);
            case LOSS -> loss(request, observed);
            case CHECKPOINT -> checkpoint(request, observed);
            case CHECKPOINT_FILES -> checkpointFiles(request, observed);
            case CHECKPOINT_FILE -> checkpointFile(request, observed);
            case LOG_LEVEL -> logLevel(request, observed);
            case WHY -> why(request, observed);
            case EVENTS -> {
                RequestRules.requireRead(request, READ_METHODS);
                events(request, gzip.compressed(observed, request.headers()));
            }
            case OPEN_API -> {
                RequestRules.requireRead(request, READ_METHODS);
                gzip.compressed(observed, request.headers()).respond(OpenApiPage.page());
            }
            case "/" -> {
                RequestRules.requireRead(request, READ_METHODS);
                root(request, gzip.compressed(observed, request.headers()));
            }
            case CONSOLE -> {
                RequestRules.requireRead(request, READ_METHODS);
                pages.console(CONSOLE, gzip.compressed(observed, request.headers()));
            }
            case STREAM -> stream(request, observed);
            case "/livez", "/readyz", "/metrics", RING, CAN_STOP -> {
                RequestRules.requireRead(request, READ_METHODS);
                pages.page(request.path(), gzip.compressed(observed, request.headers()));
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

    private void status(HttpRequest request, HttpExchange exchange, long startedNanos)
            throws RefusedException {
        RequestRules.requireRead(request, READ_METHODS);
        HttpResponse response =
                request.query() == null
                        ? SERVING
                        : filler(
                                RequestReader.parameters(request.query(), STATUS_PARAMETERS)
                                        .raw("bytes"));
        RequestRules.requireServing(draining);
        exchange.respond(response);
        observer.answered(Operation.STATUS, 200, ticker.nanos() - startedNanos);
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

    private void repair(HttpRequest request, HttpExchange exchange) throws RefusedException {
        if (request.method().equals("POST")) {
            RequestRules.requireServing(draining);
            pages.act(REPAIR, exchange);
        } else {
            RequestRules.requireRead(request, ACT_METHODS);
            pages.page(REPAIR, exchange);
        }
    }

    private void loss(HttpRequest request, HttpExchange exchange) throws RefusedException {
        if (!request.method().equals("POST")) {
            RequestRules.requireRead(request, ACT_METHODS);
            pages.page(LOSS, exchange);
            return;
        }
        String name = RequestReader.parameters(request.query(), LOSS_PARAMETERS).raw("accept");
        if (name == null || name.isEmpty()) {
            throw new RefusedException(
                    400, "'accept' must be the name of the loss, as a GET here shows it.");
        }
        RequestRules.requireServing(draining);
        pages.acceptLoss(name, exchange);
    }

    private void checkpoint(HttpRequest request, HttpExchange exchange) throws RefusedException {
        boolean isMade = request.method().equals("POST");
        if (!isMade && !request.method().equals("DELETE")) {
            RequestRules.requireRead(request, CHECKPOINT_METHODS);
            pages.checkpoints(exchange);
            return;
        }
        String name =
                checkpointName(RequestReader.parameters(request.query(), CHECKPOINT_PARAMETERS));
        RequestRules.requireServing(draining);
        if (isMade) {
            pages.makeCheckpoint(name, exchange);
        } else {
            pages.removeCheckpoint(name, exchange);
        }
    }

    private static String checkpointName(QueryParameters parameters) throws RefusedException {
        String name = parameters.raw("name");
        if (name == null || name.isEmpty()) {
            throw new RefusedException(400, "'name' must be the name of the checkpoint.");
        }
        return name;
    }

    private void checkpointFiles(HttpRequest request, HttpExchange exchange)
            throws RefusedException {
        RequestRules.requireRead(request, READ_METHODS);
        QueryParameters parameters =
                RequestReader.parameters(request.query(), CHECKPOINT_PARAMETERS);
        pages.checkpointFiles(checkpointName(parameters), exchange);
    }

    private void checkpointFile(HttpRequest request, HttpExchange exchange)
            throws RefusedException {
        RequestRules.requireRead(request, READ_METHODS);
        QueryParameters parameters = RequestReader.parameters(request.query(), FILE_PARAMETERS);
        String name = checkpointName(parameters);
        String path = parameters.raw("path");
        if (path == null || path.isEmpty()) {
            throw new RefusedException(
                    400, "'path' must be that of a file, as /admin/checkpoint/files lists it.");
        }
        String offset = parameters.raw("offset");
        long from = offset == null || offset.equals("0") ? 0 : RequestReader.number(offset);
        if (from == 0 && offset != null && !offset.equals("0")) {
            throw new RefusedException(400, "'offset' must be a number of bytes, in plain digits.");
        }
        pages.checkpointFile(name, path, from, exchange);
    }

    private void logLevel(HttpRequest request, HttpExchange exchange) throws RefusedException {
        if (!request.method().equals("PUT")) {
            RequestRules.requireRead(request, LOG_LEVEL_METHODS);
            pages.logLevels(exchange);
            return;
        }
        QueryParameters parameters =
                RequestReader.parameters(request.query(), LOG_LEVEL_PARAMETERS);
        String level = parameters.raw("level");
        String logger = parameters.raw("logger");
        if (level == null) {
            throw new RefusedException(
                    400, "'level' must be error, warn, info, debug, trace or inherited.");
        }
        pages.changeLogLevel(logger == null ? "root" : logger, level, exchange);
    }

    /** Browsers name the type that they want; curl and others get text. */
    private void root(HttpRequest request, HttpExchange exchange) {
        String accept = request.headers().first("accept");
        if (accept != null && accept.contains("text/html")) {
            pages.console("/", exchange);
        } else {
            pages.page("/", exchange);
        }
    }

    /** A browser that connects again says which event it has had last. */
    private void stream(HttpRequest request, HttpExchange exchange) throws RefusedException {
        RequestRules.requireRead(request, READ_METHODS);
        QueryParameters parameters = RequestReader.parameters(request.query(), EVENTS_PARAMETERS);
        long since = since(parameters.raw("since"));
        String last = request.headers().first("last-event-id");
        RequestRules.requireServing(draining);
        pages.stream(
                last == null ? since : Math.max(since, RequestReader.number(last)),
                authorization.standing(request.method(), request.path(), request.headers()),
                exchange);
    }

    private void events(HttpRequest request, HttpExchange exchange) throws RefusedException {
        QueryParameters parameters = RequestReader.parameters(request.query(), EVENTS_PARAMETERS);
        String accept = request.headers().first("accept");
        boolean isLines = accept != null && accept.startsWith("application/x-ndjson");
        pages.events(since(parameters.raw("since")), isLines, exchange);
    }

    private static long since(@Nullable String raw) throws RefusedException {
        if (raw == null || raw.equals("0")) {
            return 0;
        }
        long since = RequestReader.number(raw);
        if (since == 0) {
            throw new RefusedException(
                    400, "'since' must be the sequence number of an event, in plain digits.");
        }
        return since;
    }

    private void why(HttpRequest request, HttpExchange exchange) throws RefusedException {
        RequestRules.requireRead(request, READ_METHODS);
        byte[] key =
                RequestReader.key(
                        "id", RequestReader.parameters(request.query(), WHY_PARAMETERS).raw("id"));
        String accept = request.headers().first("accept");
        boolean isForPeople = accept != null && accept.startsWith("text/plain");
        pages.why(key, isForPeople, exchange);
    }

    private HttpExchange observed(HttpExchange exchange, long startedNanos) {
        return new ForwardedExchange(exchange) {
            @Override
            public void respond(HttpResponse response) {
                super.respond(response);
                note(response);
            }

            @Override
            public void respond(HttpResponse response, HeldRoom room) {
                super.respond(response, room);
                note(response);
            }

            @Override
            public void respondFromSelector(HttpResponse response) {
                super.respondFromSelector(response);
                note(response);
            }

            @Override
            public void stream(HttpResponse head, StreamSource source) {
                super.stream(head, source);
                note(head);
            }

            private void note(HttpResponse response) {
                observer.answered(Operation.PAGE, response.status(), ticker.nanos() - startedNanos);
            }
        };
    }
}
