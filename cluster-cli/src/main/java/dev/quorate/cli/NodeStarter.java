package dev.quorate.cli;

import dev.quorate.node.ClusterNode;
import dev.quorate.node.config.NodeOptions;
import java.io.IOException;
import java.util.function.Consumer;

/** Starts a node. */
@FunctionalInterface
interface NodeStarter {

    /**
     * Starts a node, which serves when this returns.
     *
     * @param fatal called on any thread with a sentence, when the node must not continue, as after
     *     a failed fsync
     * @throws java.net.BindException if a port is taken
     * @throws dev.quorate.storage.StorageException if the store cannot be opened
     */
    ClusterNode start(NodeOptions options, Consumer<String> fatal) throws IOException;
}
