package dev.quorate.node.admin;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import java.util.function.BooleanSupplier;

/** The console of a node: its page, what the page shows at first, and what follows. */
public interface LivePages {

    /** Of a node without a console. */
    LivePages NONE =
            new LivePages() {
                private final HttpResponse nothing =
                        Problem.response(404, "There is no console here.");

                @Override
                public HttpResponse page() {
                    return nothing;
                }

                @Override
                public HttpResponse contents() {
                    return nothing;
                }

                @Override
                public void stream(long since, BooleanSupplier isAllowed, HttpExchange exchange) {
                    exchange.respond(nothing);
                }
            };

    /** The page, which is the same for all nodes. */
    HttpResponse page();

    /** What the page shows at first: the ring, and the samples of the last hour. */
    HttpResponse contents();

    /**
     * Streams the state of the node once a second, samples, and events.
     *
     * @param since only events after this sequence number
     * @param isAllowed whether the client may still read it: asked before each delivery, and the
     *     stream ends when it may not
     */
    void stream(long since, BooleanSupplier isAllowed, HttpExchange exchange);
}
