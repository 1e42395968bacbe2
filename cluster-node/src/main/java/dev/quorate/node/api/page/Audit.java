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
 * Logs what administrators change, and what they ask about a key: the token's name, the route and
 * the status. Neither tokens nor queries, which have keys. Pages that are only read are not logged,
 * because programs read them every second; neither are strangers' requests, of which there may be
 * any number. Of refused requests some lines a second are logged, and the number of the others:
 * otherwise a client could fill the disk.
 */
public final class Audit {

    private static final Logger LOG = LoggerFactory.getLogger("audit");

    private static final int REFUSALS_PER_SECOND = 10;

    private final Ticker ticker;
    private final LineLimit refusals;

    public Audit(Ticker ticker) {
        this.ticker = ticker;
        refusals = new LineLimit(REFUSALS_PER_SECOND, Duration.ofSeconds(1), ticker.nanos());
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
