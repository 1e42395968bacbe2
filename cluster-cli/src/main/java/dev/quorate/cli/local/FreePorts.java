package dev.quorate.cli.local;

import java.util.function.IntPredicate;

/**
 * The check that a node's ports are free.
 *
 * @param isFree whether a node could listen on a port now
 */
record FreePorts(IntPredicate isFree) {

    private static final int PORT_TRIES = 20;

    /** The port of a process that has just ended may take a moment to become free. */
    private boolean isFreeSoon(int port) throws InterruptedException {
        for (int tries = 0; tries < PORT_TRIES; tries++) {
            if (isFree.test(port)) {
                return true;
            }
            NodeProcesses.pause(50);
        }
        return false;
    }

    void require(ClusterPlan plan, String name) throws LocalFailure, InterruptedException {
        int port = plan.port(name);
        require(port, "which " + name + " would listen on");
        require(
                port + ClusterPlan.PEER_PORT_OFFSET,
                "on which " + name + " would listen for its peers");
    }

    private void require(int port, String use) throws LocalFailure, InterruptedException {
        if (!isFreeSoon(port)) {
            throw new LocalFailure(
                    "Port %d, %s, is in use by %s; --port names another first port."
                            .formatted(port, use, PortOwner.of(port).orElse("another process")));
        }
    }
}
