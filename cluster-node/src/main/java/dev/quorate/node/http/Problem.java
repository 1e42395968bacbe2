package dev.quorate.node.http;

import dev.quorate.node.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Builds an error answer: {@code application/problem+json} (RFC 9457) with {@code type}
 * about:blank, so that {@code title} is the status's name.
 */
public final class Problem {

    private final int status;
    private final List<String> headers = new ArrayList<>(3);
    private final JsonWriter json = new JsonWriter(160);

    private Problem(int status, String detail) {
        this.status = status;
        headers.add("Content-Type: application/problem+json");
        json.beginObject()
                .field("type", "about:blank")
                .field("title", HttpStatus.reason(status))
                .field("status", status)
                .field("detail", detail);
    }

    /**
     * Begins a problem.
     *
     * @param status 400 to 599
     * @param detail what went wrong, in one or two sentences
     */
    public static Problem of(int status, String detail) {
        return new Problem(status, detail);
    }

    /** Begins a 503, which asks the client to try again in a second. */
    public static Problem busy(String detail) {
        return of(503, detail).header("Retry-After: 1");
    }

    /** The answer of a problem without further members. */
    public static HttpResponse response(int status, String detail) {
        return of(status, detail).response();
    }

    /** Adds a member whose value is text. */
    public Problem with(String name, String value) {
        json.field(name, value);
        return this;
    }

    /** Adds a member whose value is a list of texts. */
    public Problem with(String name, List<String> values) {
        json.field(name, values);
        return this;
    }

    /** Adds the members that {@code members} writes. */
    public Problem with(Consumer<JsonWriter> members) {
        members.accept(json);
        return this;
    }

    /** Adds a header line, without line end. */
    public Problem header(String line) {
        headers.add(line);
        return this;
    }

    public HttpResponse response() {
        return new HttpResponse(status, headers, json.endObject() + "\n");
    }
}
