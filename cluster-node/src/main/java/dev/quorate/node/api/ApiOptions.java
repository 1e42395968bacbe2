package dev.quorate.node.api;

import dev.quorate.node.access.Authentication;
import dev.quorate.node.api.answer.OperationLog;
import dev.quorate.node.api.request.KnownHosts;
import java.util.List;

/**
 * What the API of a node depends on.
 *
 * @param members how many nodes the cluster has
 * @param replicationFactor {@code from} where a client gives none
 * @param corsOrigins origins whose pages may use the API, such as {@code https://app.example}
 * @param authentication finds out who sends a request
 * @param rangesPerAddress ranges that are open at once for one client's address
 * @param log of operations that took long
 * @param hosts the names of the node
 * @param scheme of the URLs by which clients reach the API: {@code http} or {@code https}
 */
public record ApiOptions(
        int members,
        int replicationFactor,
        List<String> corsOrigins,
        Authentication authentication,
        int rangesPerAddress,
        OperationLog log,
        KnownHosts hosts,
        String scheme) {
    public ApiOptions {
        if (rangesPerAddress < 1) {
            throw new IllegalArgumentException("ranges of an address: " + rangesPerAddress);
        }
        corsOrigins = List.copyOf(corsOrigins);
    }
}
