package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The supervisor over real processes, which only pretend to be nodes. */
final class LocalClusterTest {

    /** These ports, and those for peers, are below what systems give to outgoing connections. */
    private static final int FIRST_PORT = 20_900;

    private static final List<String> FAKE_NODE =
            List.of("-cp", System.getProperty("java.class.path"), FakeNode.class.getName());

    @TempDir Path folder;

    private final StringWriter printed = new StringWriter();
    private final int port = freePorts();

    @AfterEach
    void stopEverything() throws Exception {
        cluster().stopAll();
    }

    /** Like another run of the launcher: it knows only what is in the directory. */
    private LocalCluster cluster() {
        return new LocalCluster(
                directory(),
                FAKE_NODE,
                SystemTicker.INSTANCE,
                new Random(1),
                new PrintWriter(printed),
                LocalNodes::isFree);
    }

    private ClusterDirectory directory() {
        return new ClusterDirectory(folder.resolve("cluster"));
    }

    private LocalCluster.Wanted wanted(Integer nodes, String... nodeOptions) {
        return new LocalCluster.Wanted(nodes, port, "16m", List.of(nodeOptions), false);
    }

    private static final LocalCluster.Wanted AS_BEFORE =
            new LocalCluster.Wanted(null, null, null, List.of(), false);

    /** The first of three free ports whose peers' ports are free too. */
    private static int freePorts() {
        int first = FIRST_PORT + (int) (ProcessHandle.current().pid() % 100) * 10;
        while (!areFree(first)) {
            first += 10;
        }
        return first;
    }

    private static boolean areFree(int first) {
        for (int port = first; port < first + 3; port++) {
            if (!LocalNodes.isFree(port)
                    || !LocalNodes.isFree(port + ClusterPlan.PEER_PORT_OFFSET)) {
                return false;
            }
        }
        return true;
    }

    private boolean isReady(int node) {
        return NodeProcesses.isOk(port + node - 1, "/readyz");
    }

    @Test
    void upStartsEveryNodeAndDownStopsThem() throws Exception {
        cluster().up(wanted(3));
        assertThat(isReady(1) && isReady(2) && isReady(3)).isTrue();
        assertThat(printed.toString())
                .startsWith("3 nodes are ready after ")
                .contains("  n3  http://127.0.0.1:" + (port + 2))
                .contains("curl -i -X PUT 'http://127.0.0.1:" + port + "/v0/entity?id=hello'");
        assertThat(Files.readString(directory().log("n2"))).contains("n2 listens");
        long pid = directory().pid("n2").orElseThrow();
        assertThat(ProcessHandle.of(pid)).isPresent();

        cluster().down();
        assertThat(printed.toString()).endsWith("Stopped 3 nodes." + System.lineSeparator());
        assertThat(isReady(1) || isReady(2) || isReady(3)).isFalse();
        assertThat(directory().pid("n2")).isEmpty();
    }

    @Test
    void theSecretIsForItsOwnersEyesOnlyAndStaysTheSame() throws Exception {
        cluster().up(wanted(1));
        String secret = Files.readString(directory().secret()).strip();
        assertThat(secret).matches("[0-9a-f]{64}");
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(directory().secret())))
                .isEqualTo("rw-------");
        cluster().down();
        cluster().up(AS_BEFORE);
        assertThat(Files.readString(directory().secret()).strip()).isEqualTo(secret);
    }

    @Test
    void aRunningClusterIsNotStartedAgain() throws Exception {
        cluster().up(wanted(2));
        assertThatThrownBy(() -> cluster().up(wanted(2)))
                .isInstanceOf(LocalFailure.class)
                .hasMessageContaining("A cluster is running in " + directory().root())
                .hasMessageContaining("(n1, n2)");
        assertThat(isReady(1) && isReady(2)).as("the first one goes on").isTrue();
    }

    @Test
    void oneNodeCanBeKilledStartedAndStopped() throws Exception {
        cluster().up(wanted(2));
        cluster().kill("n2");
        assertThat(isReady(2)).isFalse();
        assertThat(isReady(1)).isTrue();
        assertThatThrownBy(() -> cluster().kill("n2")).hasMessage("n2 is not running.");
        assertThatThrownBy(() -> cluster().stop("n2")).hasMessage("n2 is not running.");

        cluster().start("n2");
        assertThat(isReady(2)).isTrue();
        assertThatThrownBy(() -> cluster().start("n2"))
                .hasMessageStartingWith("n2 is already running (process ");

        cluster().stop("n2");
        assertThat(isReady(2)).isFalse();
        assertThat(printed.toString())
                .contains("n2 is killed.", "n2 is ready at ", "n2 is stopped.");
    }

    @Test
    void aRollingRestartNeedsThreeNodesThatRun() throws Exception {
        LocalCluster two = cluster();
        two.up(wanted(2));
        assertThatThrownBy(() -> restartRolling())
                .isInstanceOf(LocalFailure.class)
                .hasMessageStartingWith("Requests fail while a node of a cluster of one or two");
        cluster().kill("n2");
        assertThatThrownBy(() -> restartRolling())
                .hasMessage("Not running: n2. Nothing was changed; ./quorate start starts a node.");
        assertThat(isReady(1)).isTrue();
    }

    /** These nodes do not know the question. */
    @Test
    void noNodeIsStoppedThatDoesNotSayThatItMay() throws Exception {
        cluster().up(wanted(3));
        long before = directory().pid("n1").orElseThrow();
        assertThatThrownBy(() -> restartRolling())
                .hasMessageStartingWith(
                        "n1 does not say whether it may stop. It answers: 404 Not Found");
        assertThat(directory().pid("n1")).hasValue(before);
    }

    private void restartRolling() throws Exception {
        RollingRestart.restart(cluster(), NodeAccess.NONE, new PrintWriter(printed));
    }

    @Test
    void watchReportsDeathsAndRestartsAndEndsWhenAllAreStopped() throws Exception {
        LocalCluster watching = cluster();
        watching.up(wanted(2));
        CompletableFuture<Void> watch =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                watching.watch();
                            } catch (IOException | InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
        cluster().kill("n2");
        await().until(() -> printed.toString().contains("n2 died (see "));
        assertThat(isReady(1)).as("the rest goes on").isTrue();
        cluster().start("n2");
        await().until(() -> printed.toString().contains("n2 is back."));
        cluster().down();
        await().until(watch::isDone);
        assertThat(watch.isCompletedExceptionally()).isFalse();
        assertThat(printed.toString()).contains("All nodes were stopped.");
    }

    @Test
    void aNodeThatDiesAtOnceStopsTheStartAndIsQuoted() throws Exception {
        assertThatThrownBy(() -> cluster().up(wanted(2, "--doomed=n2")))
                .isInstanceOf(LocalFailure.class)
                .hasMessageStartingWith("n2 ended before it was ready; the last it wrote to ")
                .hasMessageEndingWith("  n2 found its disk on fire");
        assertThat(isReady(1)).as("what was started is stopped").isFalse();
        assertThat(directory().pid("n1")).isEmpty();
    }

    @Test
    void aPortInUseIsNamed() throws Exception {
        int[] taken = {port + 1, port + ClusterPlan.PEER_PORT_OFFSET};
        for (int number : taken) {
            try (ServerSocket squatter =
                    new ServerSocket(number, 1, InetAddress.getLoopbackAddress())) {
                assertThat(squatter.isBound()).isTrue();
                assertThatThrownBy(() -> cluster().up(wanted(2)))
                        .isInstanceOf(LocalFailure.class)
                        .hasMessageStartingWith("Port " + number + ", ")
                        .hasMessageContaining(number == port + 1 ? "n2" : "n1");
            }
        }
        assertThat(directory().root()).doesNotExist();
    }

    @Test
    void aPortThatWasJustClosedIsAwaited() throws Exception {
        int lingering = port + ClusterPlan.PEER_PORT_OFFSET;
        AtomicInteger looks = new AtomicInteger();
        LocalCluster cluster =
                new LocalCluster(
                        directory(),
                        FAKE_NODE,
                        SystemTicker.INSTANCE,
                        new Random(1),
                        new PrintWriter(printed),
                        number ->
                                LocalNodes.isFree(number)
                                        && (number != lingering || looks.incrementAndGet() > 3));
        cluster.up(wanted(1));
        assertThat(looks).hasValue(4);
        assertThat(isReady(1)).isTrue();
    }

    @Test
    void aPidFileWhoseProcessIsGoneOrAnotherProgramIsNoNode() throws Exception {
        cluster().up(wanted(1));
        long own = directory().pid("n1").orElseThrow();
        directory().writePid("n1", ProcessHandle.current().pid());
        assertThatThrownBy(() -> cluster().kill("n1")).hasMessage("n1 is not running.");
        directory().writePid("n1", Long.MAX_VALUE);
        assertThatThrownBy(() -> cluster().stop("n1")).hasMessage("n1 is not running.");
        Files.writeString(directory().nodeFolder("n1").resolve("pid"), "");
        assertThatThrownBy(() -> cluster().stop("n1")).hasMessage("n1 is not running.");
        directory().writePid("n1", own);
        cluster().stop("n1");
    }

    @Test
    void aClusterIsStartedAgainAsItWas() throws Exception {
        cluster().up(wanted(2, "--doomed=n9"));
        cluster().down();
        cluster().up(AS_BEFORE);
        assertThat(isReady(1) && isReady(2)).isTrue();
        assertThat(directory().plan())
                .hasValue(new ClusterPlan(2, port, "16m", List.of("--doomed=n9"), List.of()));
    }

    @Test
    void anotherNumberOfNodesNeedsEmptyData() throws Exception {
        cluster().up(wanted(2));
        cluster().down();
        Path kept = Files.createDirectories(directory().data("n2")).resolve("kept");
        Files.writeString(kept, "data");
        assertThatThrownBy(() -> cluster().up(wanted(1)))
                .isInstanceOf(LocalFailure.class)
                .hasMessageContaining("contains the data of 2 nodes")
                .hasMessageContaining("--clean");
        cluster().up(AS_BEFORE);
        assertThat(kept).exists();
        cluster().down();
        cluster().up(new LocalCluster.Wanted(1, port, "16m", List.of(), true));
        assertThat(kept).doesNotExist();
        assertThat(isReady(1)).isTrue();
        assertThat(isReady(2)).isFalse();
    }

    @Test
    void aDirectoryWithOtherFilesIsNotUsed() throws Exception {
        Files.createDirectories(directory().root());
        Files.writeString(directory().root().resolve("thesis.txt"), "years of work");
        assertThatThrownBy(
                        () ->
                                cluster()
                                        .up(
                                                new LocalCluster.Wanted(
                                                        1, port, "16m", List.of(), true)))
                .isInstanceOf(LocalFailure.class)
                .hasMessageContaining("contains other files (thesis.txt)");
        assertThat(directory().root().resolve("thesis.txt")).exists();
    }

    @Test
    void commandsNeedACluster() {
        assertThatThrownBy(() -> cluster().start("n1"))
                .hasMessageStartingWith("There is no cluster in ");
    }

    @Test
    void optionsOfTlsAreRefusedBeforeAnythingStarts() {
        LocalCluster.Wanted tls =
                new LocalCluster.Wanted(2, null, "16m", List.of("--tls-key=k.pem"), false);
        assertThatThrownBy(() -> cluster().up(tls))
                .hasMessage(
                        "'up' starts nodes without TLS; ./quorate node takes --tls-key"
                                + " (docs/security.md).");
        assertThat(directory().root()).doesNotExist();
    }

    @Test
    void anUnknownNodeIsAnsweredWithTheKnownOnes() throws Exception {
        cluster().up(wanted(2));
        assertThatThrownBy(() -> cluster().kill("n3"))
                .hasMessageStartingWith("There is no node 'n3' in ")
                .hasMessageEndingWith(": it has n1, n2.");
    }

    /** Where there is data, a node must never think that the cluster is new. */
    @Test
    void onlyTheFirstStartOfEmptyDirectoriesFoundsACluster() throws Exception {
        cluster().up(wanted(2));
        assertThat(foundings("n1")).containsExactly("founding 'new'");
        cluster().kill("n1");
        cluster().start("n1");
        cluster().stopAll();
        cluster().up(wanted(2));
        assertThat(foundings("n1")).containsExactly("founding 'new'", "founding ''", "founding ''");
        assertThat(foundings("n2")).containsExactly("founding 'new'", "founding ''");
    }

    private List<String> foundings(String node) throws IOException {
        return Files.readAllLines(directory().log(node)).stream()
                .filter(line -> line.startsWith("founding"))
                .toList();
    }
}
