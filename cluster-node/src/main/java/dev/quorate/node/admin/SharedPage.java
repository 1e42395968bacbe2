package dev.quorate.node.admin;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * A page that is made for all who ask for it at a time: requests that arrive while it is made join
 * the next round. So however many ask, one thread is busy with it, and nobody gets a page that is
 * older than his request.
 */
final class SharedPage {

    /** More who wait are refused. */
    private static final int MAX_WAITING = 256;

    /** Of one who asks. */
    private enum Place {
        /** A round is to begin that he is in. */
        JOINED,
        /** He begins the round. */
        FIRST,
        TOO_MANY
    }

    private final Supplier<HttpResponse> maker;
    private final Executor background;

    /** Guarded by this, as is the next. */
    private List<HttpExchange> waiting = new ArrayList<>();

    private boolean isScheduled;

    SharedPage(Supplier<HttpResponse> maker, Executor background) {
        this.maker = maker;
        this.background = background;
    }

    void answer(HttpExchange exchange) {
        switch (join(exchange)) {
            case JOINED -> {}
            case FIRST -> schedule();
            case TOO_MANY -> exchange.respond(tooBusy());
        }
    }

    private synchronized Place join(HttpExchange exchange) {
        if (waiting.size() >= MAX_WAITING) {
            return Place.TOO_MANY;
        }
        waiting.add(exchange);
        if (isScheduled) {
            return Place.JOINED;
        }
        isScheduled = true;
        return Place.FIRST;
    }

    private void schedule() {
        try {
            background.execute(this::makeOnce);
        } catch (RejectedExecutionException e) {
            for (HttpExchange each : takeWaiting()) {
                each.respond(tooBusy());
            }
        }
    }

    private void makeOnce() {
        List<HttpExchange> round = takeWaiting();
        HttpResponse page = maker.get();
        for (HttpExchange each : round) {
            each.respond(page);
        }
    }

    /** Who asks from now on is of the next round. */
    private synchronized List<HttpExchange> takeWaiting() {
        List<HttpExchange> round = waiting;
        waiting = new ArrayList<>();
        isScheduled = false;
        return round;
    }

    static HttpResponse tooBusy() {
        return Problem.of(503, "The node is too busy to make this page, or is stopping.")
                .header("Retry-After: 1")
                .response();
    }
}
