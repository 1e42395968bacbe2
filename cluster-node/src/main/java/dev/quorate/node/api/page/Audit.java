package dev.quorate.node.api.page;

import dev.quorate.node.access.Caller;
import dev.quorate.node.access.Role;
import dev.quorate.node.api.request.Route;
import dev.quorate.router.runtime.LineLimit;
import dev.quorate.router.runtime.Ticker;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs administrators' changes, and their inquiries about keys: the token's name, the route and the
 * status, but neither tokens nor queries, which contain keys. Reads of pages are not logged,
 * because programs poll them, nor are unauthenticated requests, whose number is unbounded. Refused
 * requests are logged up to {@value #REFUSALS_PER_SECOND} a second, with the number of omitted
 * ones: otherwise a client could fill the disk.
 */
public final class Audit {

    private static final Logger LOG = LoggerFactory.getLogger("audit");

    private final Ticker ticker;
    private final LineLimit refusals;

    public Audit(Ticker ticker) {
        this.ticker = ticker;
        refusals = new LineLimit(10, Duration.ofSeconds(1), ticker.nanos());
    }

    /** Whether a request is logged. */
    public static boolean covers(String method, String path) {
        Route route = Route.of(path);
        return route != null
                && route.needs(method) == Role.ADMIN
                && (!Route.isRead(method) || route == Route.WHY);
    }

    public void note(Caller caller, String method, String path, int status) {
        if (status < 400) {
            LOG.info("{} {} {} {}", caller.name(), method, path, status);
            return;
        }
        refusals.write(
                ticker.nanos(),
                omitted -> {
                    String more =
                            omitted == 0 ? "" : " (" + omitted + " refused before it, not logged)";
                    LOG.info("{} {} {} {}{}", caller.name(), method, path, status, more);
                });
    }
}
