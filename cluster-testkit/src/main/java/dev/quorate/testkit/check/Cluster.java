package dev.quorate.testkit.check;

import java.io.IOException;
import java.net.URI;
import java.util.List;

/** The cluster under check. */
interface Cluster extends AutoCloseable {

    List<String> nodes();

    /** The address of a node for clients. */
    URI url(String node);

    /** Whether the check started it, so that its keys need not be deleted. */
    boolean isOwn();

    boolean isRunning(String node) throws IOException;

    /** Injects or ends a fault. It has no effect on a node that does not run. */
    void apply(Fault fault, boolean begins) throws IOException;

    /** The end of a node's log and the path of the log; empty if there is none. */
    String logTail(String node) throws IOException;

    /** Preserves the logs and data of the nodes when this is closed. */
    void preserveLogs();

    /** Restores the initial state: all nodes run, or the cluster is deleted. */
    @Override
    void close();
}
