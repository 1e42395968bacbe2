package dev.quorate.node.api;

import dev.quorate.node.access.Authentication;
import dev.quorate.node.api.answer.OperationLog;
import dev.quorate.node.api.request.KnownHosts;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * The dependencies and options of a node's API.
 *
 * @param members the number of nodes in the cluster now
 * @param replicationFactor the default of {@code from} now
 * @param corsOrigins origins whose pages may use the API, such as {@code https://app.example}
 * @param authentication identifies the sender of a request
 * @param rangesPerAddress maximum number of open ranges for one client address
 * @param log the log of slow operations
 * @param hosts the names of the node
 * @param scheme the scheme of the API's URLs: {@code http} or {@code https}
 */
public record ApiOptions(
        IntSupplier members,
        IntSupplier replicationFactor,
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
