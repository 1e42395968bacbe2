package dev.quorate.node.offenders;

import dev.quorate.node.ClusterNode;
import dev.quorate.router.replica.ReadExecutor;

/** Breaks rules on purpose: makes a part, knows the root, and knows what its package may not. */
public final class WiresParts {

    ReadExecutor part(ClusterNode root) {
        return new ReadExecutor(1, root.hashCode());
    }
}
