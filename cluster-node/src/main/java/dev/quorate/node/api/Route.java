package dev.quorate.node.api;

import dev.quorate.node.access.Role;
import org.jspecify.annotations.Nullable;

/**
 * Every path of the clients' port, and the role that it needs. A path that is not in this table
 * does not exist: it is answered with 400, whatever else the code has for it.
 */
enum Route {
    ENTITY("/v0/entity", Role.READ, Role.WRITE),
    /** Ranges, and batches, of which each line needs the role of its operation. */
    ENTITIES("/v0/entities", Role.READ, Role.READ),
    STATUS("/v0/status", null, null),
    RING("/v0/ring", Role.READ, Role.READ),
    LIVENESS("/livez", null, null),
    READINESS("/readyz", null, null),
    /** No keys and values: any token will do, whatever its prefix. */
    METRICS("/metrics", Role.READ, Role.READ),
    ROOT("/", Role.READ, Role.READ),
    EVENTS("/admin/events", Role.ADMIN, Role.ADMIN),
    CONSOLE("/admin/console", Role.ADMIN, Role.ADMIN),
    CONSOLE_STREAM("/admin/console/stream", Role.ADMIN, Role.ADMIN),
    OPEN_API("/openapi.json", null, null),
    REPAIR("/admin/repair", Role.ADMIN, Role.ADMIN),
    LOSS("/admin/loss", Role.ADMIN, Role.ADMIN),
    CHECKPOINT("/admin/checkpoint", Role.ADMIN, Role.ADMIN),
    CHECKPOINT_FILES("/admin/checkpoint/files", Role.ADMIN, Role.ADMIN),
    CHECKPOINT_FILE("/admin/checkpoint/file", Role.ADMIN, Role.ADMIN),
    LOG_LEVEL("/admin/log-level", Role.ADMIN, Role.ADMIN),
    WHY("/admin/why", Role.ADMIN, Role.ADMIN),
    CAN_STOP("/admin/can-stop", Role.ADMIN, Role.ADMIN),
    /** The whole node, which only {@code OPTIONS *} asks about. */
    NODE("*", null, null);

    private final String path;
    private final @Nullable Role reading;
    private final @Nullable Role acting;

    /**
     * @param reading the role for GET and HEAD; null if everybody may
     * @param acting the role for other methods; null if everybody may
     */
    Route(String path, @Nullable Role reading, @Nullable Role acting) {
        this.path = path;
        this.reading = reading;
        this.acting = acting;
    }

    /** The route of a path; null if there is none. */
    static @Nullable Route of(String path) {
        for (Route route : values()) {
            if (route.path.equals(path)) {
                return route;
            }
        }
        return null;
    }

    String path() {
        return path;
    }

    /** The role that a request needs; null if everybody may send it. */
    @Nullable Role needs(String method) {
        return isRead(method) ? reading : acting;
    }

    static boolean isRead(String method) {
        return method.equals("GET") || method.equals("HEAD");
    }
}
