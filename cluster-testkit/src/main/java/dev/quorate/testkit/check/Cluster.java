package dev.quorate.testkit.check;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Set;

/**
 * The cluster under check. A fault has no effect on a node that does not run. Closing restores the
 * initial state: all nodes run, or the cluster is deleted.
 */
interface Cluster extends AutoCloseable {

    List<String> nodes();

    /** The address of a node for clients. */
    URI url(String node);

    /** The faults that this cluster can have. */
    Set<FaultKind> possible();

    /** Whether the check started it, so that its keys need not be deleted. */
    boolean isOwn();

    boolean isRunning(String node) throws IOException;

    void kill(String node) throws IOException;

    void start(String node) throws IOException;

    void pause(String node) throws IOException;

    void resume(String node) throws IOException;

    /** Opens connections of strangers to the ports of a node, until the crowd is closed. */
    Crowd crowd(String node);

    void cut(Cut cut);

    void heal(Cut cut);

    /** The end of a node's log and the path of the log; empty if there is none. */
    String logTail(String node) throws IOException;

    /** Preserves the logs and data of the nodes when this is closed. */
    void preserveLogs();

    @Override
    void close();
}
