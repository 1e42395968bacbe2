package dev.quorate.node.api;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;

/** A request that is refused before anything is done. */
public final class RefusedException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient HttpResponse response;

    public RefusedException(int status, String detail) {
        this(Problem.response(status, detail));
    }

    RefusedException(HttpResponse response) {
        super(null, null, false, false);
        this.response = response;
    }

    HttpResponse response() {
        return response;
    }
}
