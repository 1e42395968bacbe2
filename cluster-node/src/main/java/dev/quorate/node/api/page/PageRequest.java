package dev.quorate.node.api.page;

import dev.quorate.node.api.request.Accept;
import dev.quorate.node.api.request.QueryParameters;
import dev.quorate.node.api.request.RequestReader;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.api.request.Route;
import dev.quorate.node.http.HttpRequest;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A request for a page or an operator's action, with an allowed method.
 *
 * @param request the request
 * @param parameters the parameters of its route, still percent-encoded
 * @param mayStillRead whether the client may still read the page, for long answers
 */
public record PageRequest(
        HttpRequest request, QueryParameters parameters, BooleanSupplier mayStillRead) {

    /**
     * A request for the page of a route.
     *
     * @throws RequestRefusedException if a parameter is not known, or given twice
     */
    public static PageRequest of(Route route, HttpRequest request, BooleanSupplier mayStillRead)
            throws RequestRefusedException {
        QueryParameters parameters = route.parameters(request.method(), request.query());
        return new PageRequest(request, parameters, mayStillRead);
    }

    /** Whether it only reads: a GET or a HEAD. */
    public boolean isRead() {
        return Route.isRead(request.method());
    }

    /** The value of a header; empty without one. */
    public String header(String name) {
        String value = request.headers().first(name);
        return value == null ? "" : value;
    }

    /** Which of the offered media types the client prefers; the first by default. */
    public String preferred(String... offered) {
        return Accept.best(header("accept"), offered);
    }

    /** The number in a header; 0 without one. */
    public long numberInHeader(String name) {
        return RequestReader.number(header(name));
    }

    /** The value of a parameter of the route; null if it is absent. */
    public @Nullable String optional(String name) {
        return parameters.raw(name);
    }

    /**
     * The value of a required, nonempty parameter.
     *
     * @param what describes valid values to the client
     */
    public String required(String name, String what) throws RequestRefusedException {
        String value = parameters.raw(name);
        if (value == null || value.isEmpty()) {
            throw invalid(name, what);
        }
        return value;
    }

    /** The value of a parameter that is a number in plain digits; 0 if it is absent. */
    public long number(String name, String what) throws RequestRefusedException {
        String value = parameters.raw(name);
        long number = value == null ? 0 : RequestReader.number(value);
        if (number == 0 && value != null && !value.equals("0")) {
            throw invalid(name, what);
        }
        return number;
    }

    public byte[] key() throws RequestRefusedException {
        return RequestReader.key("id", parameters.raw("id"));
    }

    private static RequestRefusedException invalid(String name, String what) {
        return new RequestRefusedException(400, "'" + name + "' must be " + what + ".");
    }
}
