package dev.quorate.node.peer;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Keeps the answer, and sees that there is but one. */
final class CapturedExchange implements HttpExchange {

    private @Nullable HttpResponse response;

    @Override
    public void respond(HttpResponse answer) {
        if (response != null) {
            throw new IllegalStateException("answered twice");
        }
        response = answer;
    }

    @Override
    public void stream(HttpResponse head, StreamSource source) {
        throw new IllegalStateException("the door streams nothing");
    }

    boolean isAnswered() {
        return response != null;
    }

    HttpResponse response() {
        return Objects.requireNonNull(response, "not answered");
    }
}
