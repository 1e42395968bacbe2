package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.ClusterNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the launcher lets Java watch in order to prepare a start. */
class RehearsalTest {

    @Test
    void theNodesServeAndStopAndLeaveNoFiles() {
        List<Path> data = new ArrayList<>();
        List<ClusterNode> started = new ArrayList<>();
        NodeStarter watched =
                (options, fatal) -> {
                    data.add(options.data());
                    ClusterNode node = ClusterNode.start(options, fatal);
                    started.add(node);
                    return node;
                };
        assertThat(Main.commandLine(watched, Map.of()).execute("rehearse")).isZero();
        assertThat(started).hasSizeBetween(3, 9); // more, where ports were taken meanwhile
        assertThat(data).allSatisfy(folder -> assertThat(folder.getParent()).doesNotExist());
    }
}
