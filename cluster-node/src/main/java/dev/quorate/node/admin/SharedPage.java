package dev.quorate.node.admin;

import dev.quorate.node.api.page.PageHandler;
import dev.quorate.node.api.page.PageRequest;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A page that is made once for all waiting requests: requests that arrive while it is made join the
 * next round. So any number of requests occupies one thread, and no page is older than its request.
 */
public final class SharedPage implements PageHandler {

    private static final Logger LOG = LoggerFactory.getLogger(SharedPage.class);

    /** Further waiting requests are refused. */
    private static final int MAX_WAITING = 256;

    private final String path;
    private final Supplier<HttpResponse> maker;
    private final Executor background;

    /** Guarded by this, as is the next field. */
    private List<HttpExchange> waiting = new ArrayList<>();

    private boolean isScheduled;

    /**
     * @param path for the log
     * @param background makes the page; may reject
     */
    public SharedPage(String path, Supplier<HttpResponse> maker, Executor background) {
        this.path = path;
        this.maker = maker;
        this.background = background;
    }

    @Override
    public void answer(PageRequest request, HttpExchange exchange) {
        boolean hasRoom;
        boolean isFirst;
        synchronized (this) {
            hasRoom = waiting.size() < MAX_WAITING;
            isFirst = hasRoom && !isScheduled;
            if (hasRoom) {
                waiting.add(exchange);
                isScheduled = true;
            }
        }
        if (!hasRoom) {
            exchange.respond(tooBusy());
        } else if (isFirst) {
            schedule();
        }
    }

    private void schedule() {
        try {
            background.execute(this::makeOnce);
        } catch (RejectedExecutionException e) {
            for (HttpExchange each : removeWaiting()) {
                each.respond(tooBusy());
            }
        }
    }

    private void makeOnce() {
        List<HttpExchange> round = removeWaiting();
        HttpResponse page = made("The page " + path, maker);
        for (HttpExchange each : round) {
            each.respond(page);
        }
    }

    /** Later requests belong to the next round. */
    private synchronized List<HttpExchange> removeWaiting() {
        List<HttpExchange> round = waiting;
        waiting = new ArrayList<>();
        isScheduled = false;
        return round;
    }

    /** Runs a task in the background, or answers that the node is too busy. */
    static void execute(Executor background, HttpExchange exchange, Runnable task) {
        try {
            background.execute(task);
        } catch (RejectedExecutionException e) {
            exchange.respond(tooBusy());
        }
    }

    /** Answers in the background, with a 500 if that fails. */
    static void answer(Executor background, HttpExchange exchange, Supplier<HttpResponse> maker) {
        execute(background, exchange, () -> exchange.respond(made("An answer", maker)));
    }

    private static HttpResponse made(String what, Supplier<HttpResponse> maker) {
        try {
            return maker.get();
        } catch (RuntimeException e) {
            LOG.error("{} cannot be made", what, e);
            return Problem.response(500, "This failed; the log says why.");
        }
    }

    private static HttpResponse tooBusy() {
        return Problem.busy("The node is too busy to make this page, or is stopping.").response();
    }
}
