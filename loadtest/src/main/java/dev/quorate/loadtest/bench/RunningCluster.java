package dev.quorate.loadtest.bench;

import dev.quorate.harness.CommandException;
import java.util.List;

/** A cluster to be measured. */
public interface RunningCluster extends AutoCloseable {

    /** {@code http://host:port} of the node that takes all requests. */
    String url();

    /** The processes of all nodes. */
    List<NodeProcess> nodes() throws CommandException;

    @Override
    void close();
}
