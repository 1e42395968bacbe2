package dev.quorate.node.api.request;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;

/** A request is refused before any work. */
public final class RequestRefusedException extends Exception {

    private final transient HttpResponse response;

    public RequestRefusedException(int status, String detail) {
        this(Problem.response(status, detail));
    }

    public RequestRefusedException(HttpResponse response) {
        super(null, null, false, false);
        this.response = response;
    }

    public HttpResponse response() {
        return response;
    }
}
