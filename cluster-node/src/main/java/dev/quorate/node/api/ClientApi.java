package dev.quorate.node.api;

import dev.quorate.node.access.Caller;
import dev.quorate.node.api.answer.AnswerContext;
import dev.quorate.node.api.answer.ClientObserver;
import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.node.api.answer.EntityAnswer;
import dev.quorate.node.api.page.Audit;
import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRoutes;
import dev.quorate.node.api.request.Authorization;
import dev.quorate.node.api.request.ContentType;
import dev.quorate.node.api.request.CrossOrigin;
import dev.quorate.node.api.request.QueryParameters;
import dev.quorate.node.api.request.RequestReader;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.RequestRules;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.HttpHead;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.router.coordinator.Operations;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The API for clients: routes a request, parses its parameters, executes it through {@link
 * Operations}, and answers. Requests are refused before any work.
 */
public final class ClientApi implements HttpHandler {

    /** Longest key, in bytes after percent-decoding. */
    public static final int MAX_KEY_BYTES = RequestReader.MAX_KEY_BYTES;

    /** Maximum number of concurrent background tasks, which read batches. */
    public static final int MAX_TASKS = Batches.MAX_OPEN;

    private static final String ENTITY = "/v0/entity";
    private static final String ENTITIES = "/v0/entities";
    private static final byte[] NOTHING = {};

    /** Cached, because it is sent often under overload. */
    private static final HttpResponse OVERLOADED =
            Problem.busy("The node is overloaded. Nothing was attempted.").response();

    private final Operations operations;
    private final RequestReader reader;
    private final Batches batches;
    private final EntityReads reads;
    private final Authorization authorization;
    private final int rangesPerAddress;
    private final CrossOrigin origins;
    private final PageRoutes routes;
    private final RequestRules rules;
    private final Audit audit;
    private final BooleanSupplier draining;
    private final ClientObserver observer;
    private final Ticker ticker;
    private final AnswerContext answers;

    /**
     * Creates the API of one node.
     *
     * @param draining whether the node is stopping, or was removed, and refuses new requests
     * @param background reads batches; must accept {@link #MAX_TASKS} at once
     */
    public ClientApi(
            Operations operations,
            ApiOptions options,
            Map<Route, PageHandler> pages,
            BooleanSupplier draining,
            ClientObserver observer,
            Executor background,
            Ticker ticker) {
        this.ticker = ticker;
        this.operations = operations;
        this.reader = new RequestReader(options.members(), options.replicationFactor());
        this.authorization = new Authorization(options.authentication());
        this.rangesPerAddress = options.rangesPerAddress();
        this.origins = new CrossOrigin(options.corsOrigins());
        this.routes = new PageRoutes(pages, authorization, draining, observer, ticker);
        this.rules =
                new RequestRules(
                        options.hosts(), options.scheme(), options.authentication().isRequired());
        this.audit = new Audit(ticker);
        this.draining = draining;
        this.observer = observer;
        this.answers = new AnswerContext(observer, options.log(), ticker);
        this.reads = new EntityReads(operations, answers);
        this.batches = new Batches(operations, reader, answers, background);
    }

    @Override
    public void handle(HttpRequest request, HttpExchange exchange) {
        String origin = origins.listed(request.path(), request.headers());
        if (origin != null) {
            exchange.beforeAnswer(response -> CrossOrigin.shown(response, origin));
        }
        HttpResponse preflight =
                origin == null ? null : CrossOrigin.preflight(request.method(), request.headers());
        if (preflight == null) {
            authorize(request, exchange, origin != null);
        } else {
            exchange.respond(preflight);
            observer.answered(Operation.OTHER, preflight.status(), 0);
        }
    }

    private void authorize(HttpRequest request, HttpExchange exchange, boolean isListedOrigin) {
        Caller caller;
        try {
            caller = caller(request.method(), request.path(), request.headers());
        } catch (RequestRefusedException e) {
            exchange.respond(e.response());
            observer.answered(operation(request), e.response().status(), 0);
            return;
        }
        if (Audit.covers(request.method(), request.path())) {
            exchange.beforeAnswer(
                    response -> {
                        audit.note(caller, request.method(), request.path(), response.status());
                        return response;
                    });
        }
        answer(request, caller, exchange, isListedOrigin);
    }

    private Caller caller(String method, String path, HttpHeaders headers)
            throws RequestRefusedException {
        Caller caller = authorization.identify(method, path, headers);
        try {
            Authorization.requireRole(caller, method, path);
        } catch (RequestRefusedException e) {
            if (Audit.covers(method, path)) {
                audit.note(caller, method, path, e.response().status());
            }
            throw e;
        }
        return caller;
    }

    private void answer(
            HttpRequest request, Caller caller, HttpExchange exchange, boolean isListedOrigin) {
        long startedNanos = ticker.nanos();
        boolean isWrite = !Route.isRead(request.method());
        if (request.path().equals(ENTITY) && operations.refusesNow(isWrite)) {
            respond(operation(request), OVERLOADED, exchange, startedNanos);
            return;
        }
        HttpResponse refusal =
                rules.refusal(request.method(), request.path(), request.headers(), isListedOrigin);
        if (refusal != null) {
            respond(operation(request), refusal, exchange, startedNanos);
            return;
        }
        try {
            route(request, caller, exchange, startedNanos);
        } catch (RequestRefusedException e) {
            respond(operation(request), e.response(), exchange, startedNanos);
        }
    }

    @Override
    public @Nullable HttpResponse refusal(HttpHead head) {
        String origin = origins.listed(head.path(), head);
        HttpResponse refusal = refusal(head, origin != null);
        return refusal == null || origin == null ? refusal : CrossOrigin.shown(refusal, origin);
    }

    private @Nullable HttpResponse refusal(HttpHead head, boolean isListedOrigin) {
        try {
            var _ = caller(head.method(), head.path(), head);
        } catch (RequestRefusedException e) {
            observer.answered(Operation.OTHER, e.response().status(), 0);
            return e.response();
        }
        boolean isPut = head.method().equals("PUT") && head.path().equals(ENTITY);
        boolean isBatch = head.method().equals("POST") && head.path().equals(ENTITIES);
        if (isPut && operations.refusesNow(true)) { // The lines of a batch wait.
            observer.answered(Operation.PUT, OVERLOADED.status(), 0);
            return OVERLOADED;
        }
        return isBatch || head.expectsContinue() ? refusalBeforeBody(head, isListedOrigin) : null;
    }

    /** The refusal without the body of a batch, or of a request that expects 100 (Continue). */
    private @Nullable HttpResponse refusalBeforeBody(HttpHead head, boolean isListedOrigin) {
        HttpRequest request =
                new HttpRequest(head.method(), head.path(), head.query(), head, NOTHING);
        HttpResponse refusal = rules.refusal(head.method(), head.path(), head, isListedOrigin);
        try {
            if (refusal == null) {
                requireTakesBody(request);
            }
        } catch (RequestRefusedException e) {
            refusal = e.response();
        }
        if (refusal != null) {
            observer.answered(operation(request), refusal.status(), 0);
        }
        return refusal;
    }

    /** Checks the parts of a request that precede its body. */
    private void requireTakesBody(HttpRequest request) throws RequestRefusedException {
        switch (request.path()) {
            case ENTITY -> {
                Route.ENTITY.requireMethod(request.method());
                boolean isPut = operation(request) == Operation.PUT;
                QueryParameters parameters =
                        RequestReader.ofEntity(request.method(), request.query());
                var _ = RequestReader.key("id", parameters.raw("id"));
                var _ =
                        RequestReader.isLinearizable(
                                parameters.raw("consistency"), reader.spec(parameters));
                var _ = RequestReader.isExplained(parameters.raw("explain"));
                var _ = isPut ? RequestReader.timeToLive(parameters.raw("ttl")) : null;
                var _ = isPut ? ContentType.of(request.headers()) : null;
                var _ = RequestReader.version(request.headers());
                var _ = RequestReader.writeCondition(request.headers(), reader.spec(parameters));
                RequestRules.requireServing(draining);
            }
            case ENTITIES -> {
                Route.ENTITIES.requireMethod(request.method());
                if (request.method().equals("POST")) {
                    batches.requireHead(request.query(), request.headers());
                    RequestRules.requireServing(draining);
                }
            }
            default -> routes.requireTakesBody(request);
        }
    }

    private static Operation operation(HttpRequest request) {
        return switch (request.path()) {
            case ENTITY ->
                    switch (request.method()) {
                        case "GET", "HEAD" -> Operation.GET;
                        case "PUT" -> Operation.PUT;
                        case "DELETE" -> Operation.DELETE;
                        case "PATCH" -> Operation.PATCH;
                        default -> Operation.OTHER;
                    };
            case ENTITIES -> request.method().equals("POST") ? Operation.BATCH : Operation.SCAN;
            default -> PageRoutes.operation(request.path());
        };
    }

    private void route(HttpRequest request, Caller caller, HttpExchange exchange, long startedNanos)
            throws RequestRefusedException {
        switch (request.path()) {
            case ENTITY -> entity(request, caller, exchange, startedNanos);
            case ENTITIES -> entities(request, caller, exchange, startedNanos);
            default -> routes.route(request, exchange, startedNanos);
        }
    }

    // ---- One entity.

    private void entity(
            HttpRequest request, Caller caller, HttpExchange exchange, long startedNanos)
            throws RequestRefusedException {
        Operation operation = operation(request);
        Route.ENTITY.requireMethod(request.method());
        QueryParameters parameters = RequestReader.ofEntity(request.method(), request.query());
        byte[] key = RequestReader.key("id", parameters.raw("id"));
        Authorization.requireKey(caller, key);
        QuorumSpec spec = reader.spec(parameters);
        boolean isLinearizable = RequestReader.isLinearizable(parameters.raw("consistency"), spec);
        boolean isExplained = RequestReader.isExplained(parameters.raw("explain"));
        TraceParent given = RequestReader.trace(request.headers());
        EntityAnswer.Asked asked =
                new EntityAnswer.Asked(
                        operation,
                        key,
                        spec,
                        request.body().length,
                        given == null && isExplained ? answers.log().newTrace() : given,
                        isExplained,
                        startedNanos);
        if (operation == Operation.GET) {
            RequestRules.requireServing(draining);
            reads.read(request, asked, parameters.raw("wait"), exchange);
            return;
        }
        EntityAnswer callback = new EntityAnswer(answers, asked, exchange);
        if (operation == Operation.PATCH) {
            int bodyBytes = request.body().length;
            Duration ttl = RequestReader.newTimeToLive(parameters.raw("ttl"), bodyBytes);
            Timestamp required = RequestReader.renewedVersion(request.headers(), spec);
            RequestRules.requireServing(draining);
            operations.renew(key, ttl, required, spec, callback);
            return;
        }
        NewValue value =
                operation == Operation.PUT
                        ? new NewValue(
                                request.body(),
                                RequestReader.timeToLive(parameters.raw("ttl")),
                                ContentType.of(request.headers()))
                        : null;
        Timestamp version = RequestReader.version(request.headers());
        Condition writeCondition = RequestReader.writeCondition(request.headers(), spec);
        RequestRules.requireServing(draining);
        if (writeCondition != null) {
            RequestReader.requireConditionalLength(request.body().length);
            operations.writeIf(key, value, writeCondition, version, spec, callback);
        } else {
            operations.write(key, value, version, spec, isLinearizable, callback);
        }
    }

    /** Answers a request without asking a replica. */
    private void respond(
            Operation operation, HttpResponse response, HttpExchange exchange, long startedNanos) {
        exchange.respond(response);
        observer.answered(operation, response.status(), ticker.nanos() - startedNanos);
    }

    // ---- Ranges and batches.

    private void entities(
            HttpRequest request, Caller caller, HttpExchange exchange, long startedNanos)
            throws RequestRefusedException {
        if (request.method().equals("POST")) {
            batches.requireHead(request.query(), request.headers());
            RequestRules.requireServing(draining);
            batches.execute(request, caller, exchange);
            return;
        }
        Route.ENTITIES.requireMethod(request.method());
        RangeRequest range = RangeRequest.of(request, reader);
        Authorization.requireRange(caller, range.range().start(), range.range().end());
        RequestRules.requireServing(draining);
        var watch = range.watch();
        if (watch == null || watch.since() == null) {
            requirePlace(exchange);
        }
        reads.list(range, exchange, startedNanos);
    }

    private void requirePlace(HttpExchange exchange) throws RequestRefusedException {
        switch (exchange.acquirePlaceForAddress(rangesPerAddress)) {
            case TAKEN -> {}
            case NONE -> throw new RequestRefusedException(EntityStream.NO_PLACE);
            case ADDRESS_HAS_ITS_SHARE -> {
                observer.refusedRange();
                String why = "This address has as many ranges open at this node as one may, ";
                String next = ". Nothing was attempted. Try again in 1 s.";
                throw new RequestRefusedException(
                        Problem.of(429, why + rangesPerAddress + next)
                                .header("Retry-After: 1")
                                .response());
            }
        }
    }
}
