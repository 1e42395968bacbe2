package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.ClusterNode;
import dev.quorate.node.config.NodeOption;
import dev.quorate.node.config.NodeOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the launcher lets Java watch in order to prepare a start. */
class RehearsalTest {

    /** On a busy machine a port that was free a moment ago may be taken: the first one here. */
    @Test
    void theNodesServeOnFreePortsAndStopAndLeaveNoFiles() {
        List<Path> data = new ArrayList<>();
        List<ClusterNode> started = new ArrayList<>();
        NodeCommand.NodeStarter watched =
                (options, fatal) -> {
                    boolean first = data.isEmpty();
                    data.add(options.get(NodeOption.DATA));
                    ClusterNode node =
                            first
                                    ? startWhereThePortIsTaken(options, fatal)
                                    : ClusterNode.start(options, fatal);
                    started.add(node);
                    return node;
                };
        StringWriter errors = new StringWriter();
        CommandLine commandLine =
                Main.commandLine(watched, Map.of()).setErr(new PrintWriter(errors));
        assertThat(commandLine.execute("rehearse")).as("%s", errors).isZero();
        assertThat(started).hasSizeBetween(3, 9); // more, where more ports were taken meanwhile
        assertThat(data).hasSizeGreaterThan(started.size());
        assertThat(data).allSatisfy(folder -> assertThat(folder.getParent()).doesNotExist());
    }

    private static ClusterNode startWhereThePortIsTaken(NodeOptions options, Consumer<String> fatal)
            throws IOException {
        try (ServerSocket other = new ServerSocket()) {
            other.bind(
                    new InetSocketAddress(
                            options.get(NodeOption.HOST), options.get(NodeOption.PORT)));
            return ClusterNode.start(options, fatal);
        }
    }
}
