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
     * @param fatal told, in one sentence and from any thread, that the node must not go on, as
     *     after a failed fsync
     * @throws IOException if a port cannot be had
     * @throws dev.quorate.storage.StorageException if the store cannot be opened
     */
    ClusterNode start(NodeOptions options, Consumer<String> fatal) throws IOException;
}
