package dev.quorate.testkit.check;

import java.io.IOException;
import java.net.URI;
import java.util.List;

/** The cluster under check. The defaults are those of a cluster that gets no faults. */
interface Cluster extends AutoCloseable {

    List<String> nodes();

    /** The URL of a node for clients. */
    URI url(String node);

    /** Whether the check started the cluster, so that its keys need not be deleted. */
    default boolean isOwn() {
        return false;
    }

    default boolean isRunning(String node) throws IOException {
        return true;
    }

    /** Begins or ends a fault. Has no effect on a node that does not run. */
    default void apply(Fault fault, boolean begins) throws IOException {
        throw new UnsupportedOperationException("This cluster gets no faults.");
    }

    /** The path and the last lines of a node's log; empty if there is none. */
    default String logTail(String node) throws IOException {
        return "";
    }

    default void preserveLogs() {}

    /** Restores the initial state: all nodes run, or the cluster is deleted. */
    @Override
    default void close() {}
}
