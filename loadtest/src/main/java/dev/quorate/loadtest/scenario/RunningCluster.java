package dev.quorate.loadtest.scenario;

import dev.quorate.cli.process.CommandException;
import java.util.Map;

/** A cluster to be measured. */
public interface RunningCluster extends AutoCloseable {

    /** {@code http://host:port} of the node that takes all requests. */
    String url();

    /** Process ids of the nodes, by name. */
    Map<String, Long> processes() throws CommandException;

    @Override
    void close();
}
