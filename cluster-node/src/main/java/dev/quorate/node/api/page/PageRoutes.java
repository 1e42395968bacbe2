package dev.quorate.node.api.page;

import com.google.common.io.Resources;
import dev.quorate.node.api.answer.ClientObserver;
import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.node.api.request.Authorization;
import dev.quorate.node.api.request.RequestReader;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.RequestRules;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Routes requests that are not for entities: status, pages, and operators' actions. */
public final class PageRoutes {

    private static final byte[] NOTHING = {};

    private static final HttpResponse OPTIONS =
            new HttpResponse(
                    204, List.of("Allow: GET, HEAD, PUT, PATCH, DELETE, POST, OPTIONS"), NOTHING);

    private static final HttpResponse SERVING =
            new HttpResponse(
                    200,
                    List.of("Content-Type: text/plain"),
                    "The node serves. Its readiness is at /readyz, its figures at /metrics,"
                            + " the cluster's ring is at /.\n");

    /** Maximum length of a status page. */
    private static final int MAX_FILLER_BYTES = 65_536;

    private final Map<Route, PageHandler> pages;
    private final Authorization authorization;
    private final BooleanSupplier draining;
    private final ClientObserver observer;
    private final Ticker ticker;

    /** The last one sent: load tests repeatedly request the same size. */
    private volatile HttpResponse lastFiller = SERVING;

    public PageRoutes(
            Map<Route, PageHandler> pages,
            Authorization authorization,
            BooleanSupplier draining,
            ClientObserver observer,
            Ticker ticker) {
        this.pages = new EnumMap<>(pages);
        this.pages.put(Route.OPEN_API, (_, exchange) -> exchange.respond(OpenApi.PAGE));
        this.authorization = authorization;
        this.draining = draining;
        this.observer = observer;
        this.ticker = ticker;
    }

    public static Operation operation(String path) {
        Route route = Route.of(path);
        if (route == null || route == Route.NODE) {
            return Operation.OTHER;
        }
        return route == Route.STATUS ? Operation.STATUS : Operation.PAGE;
    }

    private static Route routeOf(HttpRequest request) throws RequestRefusedException {
        Route route = Route.of(request.path());
        if (route == null || (route == Route.NODE && !request.method().equals("OPTIONS"))) {
            throw new RequestRefusedException(
                    400,
                    "There is nothing here. Entities are at /v0/entity?id=KEY,"
                            + " ranges at /v0/entities?start=KEY, all of it is described at"
                            + " /openapi.json.");
        }
        route.requireMethod(request.method());
        return route;
    }

    /** Checks the parts of a request that precede its body. */
    public void requireTakesBody(HttpRequest request) throws RequestRefusedException {
        if (needsServing(routeOf(request), request.method())) {
            RequestRules.requireServing(draining);
        }
    }

    public void route(HttpRequest request, HttpExchange exchange, long startedNanos)
            throws RequestRefusedException {
        Route route = routeOf(request);
        switch (route) {
            case NODE -> {
                exchange.respond(OPTIONS);
                observer.answered(Operation.OTHER, 204, ticker.nanos() - startedNanos);
            }
            case STATUS -> {
                HttpResponse response =
                        filler(route.parameters(request.method(), request.query()).raw("bytes"));
                RequestRules.requireServing(draining);
                exchange.respond(response);
                observer.answered(Operation.STATUS, 200, ticker.nanos() - startedNanos);
            }
            default -> {
                if (needsServing(route, request.method())) {
                    RequestRules.requireServing(draining);
                }
                BooleanSupplier mayStillRead =
                        authorization.standing(request.method(), request.path(), request.headers());
                page(route, PageRequest.of(route, request, mayStillRead), exchange, startedNanos);
            }
        }
    }

    /** Whether a stopping node refuses the request, because it begins work or has no end. */
    private static boolean needsServing(Route route, String method) {
        return route == Route.CONSOLE_STREAM || (!Route.isRead(method) && route != Route.LOG_LEVEL);
    }

    private void page(Route route, PageRequest request, HttpExchange exchange, long startedNanos) {
        exchange.beforeAnswer(
                response -> {
                    observer.answered(
                            Operation.PAGE, response.status(), ticker.nanos() - startedNanos);
                    return response;
                });
        PageHandler handler = pages.get(route);
        if (handler == null) {
            exchange.respond(Problem.response(404, "There is no such page."));
            return;
        }
        try {
            handler.answer(request, exchange);
        } catch (RequestRefusedException e) {
            exchange.respond(e.response());
        }
    }

    /** The status page padded to a size, to measure the cost of answers of that size. */
    private HttpResponse filler(@Nullable String raw) throws RequestRefusedException {
        if (raw == null) {
            return SERVING;
        }
        long bytes = raw.equals("0") ? 0 : RequestReader.number(raw);
        if ((bytes == 0 && !raw.equals("0")) || bytes > MAX_FILLER_BYTES) {
            throw new RequestRefusedException(
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

    /** The description of this API (OpenAPI 3.1), as it was built; loaded by the first request. */
    private static final class OpenApi {
        static final HttpResponse PAGE =
                new HttpResponse(
                        200,
                        List.of("Content-Type: application/json", "Cache-Control: no-cache"),
                        resource(PageRoutes.class, "openapi.json"));
    }

    /** The bytes of a file that the build has copied beside a class. */
    public static byte[] resource(Class<?> owner, String name) {
        return resource(Resources.getResource(owner, name));
    }

    /** The bytes of a file of the class path. */
    public static byte[] resource(URL name) {
        try {
            return Resources.toByteArray(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
