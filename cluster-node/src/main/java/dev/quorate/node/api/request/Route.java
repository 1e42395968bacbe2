package dev.quorate.node.api.request;

import dev.quorate.node.access.Role;
import dev.quorate.node.http.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Every path of the client port, with the role it needs. Any other path is answered with 400. */
@SuppressWarnings("ImmutableEnumChecker") // Its lists cannot be changed.
public enum Route {
    ENTITY("/v0/entity", Role.READ, Role.WRITE, "GET, HEAD, PUT, PATCH, DELETE"),
    /** Ranges and batches; each line of a batch needs the role of its operation. */
    ENTITIES("/v0/entities", Role.READ, Role.READ, "GET, HEAD, POST"),
    STATUS("/v0/status", null, null, "GET, HEAD", "bytes"),
    RING("/v0/ring", Role.READ, Role.READ, "GET, HEAD"),
    LIVENESS("/livez", null, null, "GET, HEAD"),
    READINESS("/readyz", null, null, "GET, HEAD"),
    /** Contains no keys or values: any token suffices, regardless of its prefix. */
    METRICS("/metrics", Role.READ, Role.READ, "GET, HEAD"),
    ROOT("/", Role.READ, Role.READ, "GET, HEAD"),
    EVENTS("/admin/events", Role.ADMIN, Role.ADMIN, "GET, HEAD", "since"),
    CONSOLE("/admin/console", Role.ADMIN, Role.ADMIN, "GET, HEAD"),
    CONSOLE_STREAM("/admin/console/stream", Role.ADMIN, Role.ADMIN, "GET, HEAD", "since"),
    OPEN_API("/openapi.json", null, null, "GET, HEAD"),
    REPAIR("/admin/repair", Role.ADMIN, Role.ADMIN, "GET, HEAD, POST"),
    DRAIN("/admin/drain", Role.ADMIN, Role.ADMIN, "GET, HEAD, POST, DELETE"),
    LOSS("/admin/loss", Role.ADMIN, Role.ADMIN, "GET, HEAD, POST", "accept"),
    CHECKPOINT("/admin/checkpoint", Role.ADMIN, Role.ADMIN, "GET, HEAD, POST, DELETE", "name"),
    BACKUP("/admin/backup", Role.ADMIN, Role.ADMIN, "POST"),
    CHECKPOINT_FILES("/admin/checkpoint/files", Role.ADMIN, Role.ADMIN, "GET, HEAD", "name"),
    CHECKPOINT_FILE(
            "/admin/checkpoint/file",
            Role.ADMIN,
            Role.ADMIN,
            "GET, HEAD",
            "name",
            "path",
            "offset"),
    LOG_LEVEL("/admin/log-level", Role.ADMIN, Role.ADMIN, "GET, HEAD, PUT", "level", "logger"),
    /** Needs the seal of the cluster's secret in place of a token. */
    JOIN("/v0/join", null, null, "POST", "name", "url", "zone", "weight", "free"),
    INVITE("/admin/invite", Role.ADMIN, Role.ADMIN, "POST", "name"),
    SECRET("/admin/secret", Role.ADMIN, Role.ADMIN, "GET, HEAD"),
    MEMBERS("/admin/members", Role.ADMIN, Role.ADMIN, "GET, HEAD, POST"),
    WHY("/admin/why", Role.ADMIN, Role.ADMIN, "GET, HEAD", "id"),
    CAN_STOP("/admin/can-stop", Role.ADMIN, Role.ADMIN, "GET, HEAD"),
    /** The whole node, for {@code OPTIONS *}. */
    NODE("*", null, null, "OPTIONS");

    private final String path;
    private final @Nullable Role reading;
    private final @Nullable Role acting;
    private final List<String> methods;
    private final List<String> parameters;

    /**
     * @param reading the role for GET and HEAD; null if none is needed
     * @param acting the role for other methods; null if none is needed
     * @param methods as the header {@code Allow} lists them
     * @param parameters query parameters of the action, or of the page without an action; if empty,
     *     the query is ignored
     */
    Route(
            String path,
            @Nullable Role reading,
            @Nullable Role acting,
            String methods,
            String... parameters) {
        this.path = path;
        this.reading = reading;
        this.acting = acting;
        this.methods = List.of(methods.split(", ", -1));
        this.parameters = List.of(parameters);
    }

    public static @Nullable Route of(String path) {
        for (Route route : values()) {
            if (route.path.equals(path)) {
                return route;
            }
        }
        return null;
    }

    public String path() {
        return path;
    }

    /** The parameters in the query of a request for the page, or for the action. */
    public QueryParameters parameters(String method, @Nullable String query)
            throws RequestRefusedException {
        boolean isIgnored =
                parameters.isEmpty()
                        || (isRead(method) && !methods.stream().allMatch(Route::isRead));
        return QueryParameters.parse(isIgnored ? null : query, parameters);
    }

    /** Refuses a method that the path does not have. */
    public void requireMethod(String method) throws RequestRefusedException {
        if (!methods.contains(method)) {
            String allowed = String.join(", ", methods);
            throw new RequestRefusedException(
                    Problem.of(405, "The methods here are " + allowed + ".")
                            .header("Allow: " + allowed)
                            .response());
        }
    }

    /** The role that a request needs; null if none. */
    public @Nullable Role needs(String method) {
        return isRead(method) ? reading : acting;
    }

    public static boolean isRead(String method) {
        return method.equals("GET") || method.equals("HEAD");
    }
}
