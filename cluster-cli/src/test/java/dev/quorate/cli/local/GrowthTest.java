package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that join a local cluster and leave it, over processes that only pretend to be nodes. */
final class GrowthTest {

    private static final List<String> FAKE_NODE =
            List.of("-cp", System.getProperty("java.class.path"), FakeNode.class.getName());

    @TempDir Path folder;

    private final StringWriter printed = new StringWriter();
    private final int port;

    GrowthTest() throws IOException {
        port = ProcessCluster.freePorts(5);
    }

    @AfterEach
    void stopEverything() throws Exception {
        cluster().stopAll();
    }

    private LocalCluster cluster() {
        return new LocalCluster(
                directory(),
                FAKE_NODE,
                SystemTicker.INSTANCE,
                new Random(1),
                new PrintWriter(printed, true),
                LocalNodes::isFree);
    }

    private ClusterDirectory directory() {
        return new ClusterDirectory(folder.resolve("cluster"));
    }

    private void start(int nodes, String... nodeOptions) throws Exception {
        cluster().up(new LocalCluster.Wanted(nodes, port, "16m", List.of(nodeOptions), false));
    }

    private static LocalCluster.Wanted wanted(Integer nodes) {
        return new LocalCluster.Wanted(nodes, null, null, List.of(), false);
    }

    private void grow(int nodes) throws Exception {
        LocalCluster cluster = cluster();
        assertThat(cluster.isRunning()).isTrue();
        new Growth(cluster, NodeAccess.NONE, new PrintWriter(printed, true))
                .run(wanted(nodes), nodes);
    }

    private boolean isReady(int node) {
        return NodeProcesses.isOk(port + node - 1, "/readyz");
    }

    private List<String> members() throws IOException {
        return directory().plan().orElseThrow().names();
    }

    @Test
    void nodesJoinARunningCluster() throws Exception {
        start(3);
        grow(5);
        assertThat(isReady(4) && isReady(5)).isTrue();
        assertThat(printed.toString())
                .contains("The change waits for n4. The change waits for n5.")
                .contains("5 nodes are ready after ")
                .contains("  n5  http://127.0.0.1:" + (port + 4));
        assertThatThrownBy(() -> grow(5))
                .hasMessageStartingWith("A cluster is running in ")
                .hasMessageContaining("(n1, n2, n3, n4, n5)");
        cluster().down();
        cluster().up(wanted(null));
        assertThat(isReady(1) && isReady(5)).isTrue();
        cluster().down();
        assertThat(isReady(4) || isReady(5)).isFalse();
    }

    @Test
    void nodesThatAreNotAdmittedLeaveNothing() throws Exception {
        start(3, "--refuses=all");
        assertThatThrownBy(() -> grow(4))
                .hasMessageContaining("409 Conflict: Another change has won. Nothing was changed.");
        assertThat(isReady(4)).isFalse();
        assertThat(isReady(3)).isTrue();
        assertThat(directory().nodeFolder("n4")).doesNotExist();
        assertThat(members()).containsExactly("n1", "n2", "n3");
    }

    @Test
    void whatDoesNotAddNodesIsRefused() throws Exception {
        start(3);
        assertThatThrownBy(() -> grow(2))
                .hasMessageStartingWith("3 nodes run; ./quorate member remove removes members.");
        cluster().stop("n3");
        assertThatThrownBy(() -> grow(4)).hasMessageStartingWith("Not running: n3.");
        assertThat(members()).containsExactly("n1", "n2", "n3");
    }

    /** The command ended before it asked for the change, or before it recorded it. */
    @Test
    void aGrowthThatWasBrokenOffGoesOn() throws Exception {
        start(3);
        cluster().startMore(directory().plan().orElseThrow().grownTo(4), List.of("n4"));
        grow(4);
        assertThat(printed.toString()).contains("4 nodes are ready after ");
        directory().writePlan(directory().plan().orElseThrow().grownTo(3));
        grow(4);
        assertThat(members()).containsExactly("n1", "n2", "n3", "n4");
        directory().writePlan(directory().plan().orElseThrow().grownTo(3));
        cluster().down();
        assertThat(printed.toString()).endsWith("Stopped 4 nodes." + System.lineSeparator());
    }

    @Test
    void aRemovedNodeIsNotStartedAgain() throws Exception {
        start(3);
        Files.createFile(directory().data("n2").resolve("removed"));
        cluster().stopAll();
        cluster().up(wanted(null));
        assertThat(printed.toString())
                .contains(
                        "n2 is stopped. It was removed from the cluster, and is not started again.")
                .contains("2 nodes are ready after ");
        assertThat(isReady(2)).isFalse();
        assertThat(members()).containsExactly("n1", "n3");
        grow(3);
        assertThat(members()).containsExactly("n1", "n3", "n4");

        Files.createFile(directory().data("n1").resolve("removed"));
        cluster().stop("n1");
        cluster().stopAll();
        cluster().up(wanted(2));
        assertThat(members()).containsExactly("n3", "n4");
        assertThatThrownBy(() -> cluster().start("n1")).hasMessageEndingWith(": it has n3, n4.");
    }
}
