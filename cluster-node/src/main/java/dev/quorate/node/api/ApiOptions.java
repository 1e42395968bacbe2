package dev.quorate.node.api;

import dev.quorate.node.access.Authentication;
import java.util.List;

/**
 * What the API of a node depends on.
 *
 * @param members how many nodes the cluster has
 * @param replicationFactor {@code from} where a client gives none
 * @param corsOrigins origins whose pages may use the API, such as {@code https://app.example}
 * @param authentication finds out who sends a request
 */
public record ApiOptions(
        int members,
        int replicationFactor,
        List<String> corsOrigins,
        Authentication authentication) {
    public ApiOptions {
        corsOrigins = List.copyOf(corsOrigins);
    }

    /** The same for a node without tokens. */
    public ApiOptions(int members, int replicationFactor, List<String> corsOrigins) {
        this(members, replicationFactor, corsOrigins, Authentication.ofAnybody());
    }
}
