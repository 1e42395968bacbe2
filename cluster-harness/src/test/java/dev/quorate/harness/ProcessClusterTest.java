package dev.quorate.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessClusterTest {

    @TempDir private Path home;
    @TempDir private Path scratch;

    @Test
    void startsStopsAndDeletesItsData() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        Path data = scratch.resolve("nodes-3");
        ProcessCluster cluster =
                ProcessCluster.start(quorate.script(), scratch, 3, 18_080, List.of());
        assertThat(cluster.url()).isEqualTo("http://127.0.0.1:18080");
        assertThat(data).isDirectory();
        cluster.close();
        cluster.close();
        assertThat(quorate.calls())
                .containsExactly(
                        "up --nodes 3 --port 18080 --detach --data " + data, "down --data " + data);
        assertThat(data).doesNotExist();
    }

    @Test
    void returnsTheProcessesOfItsNodes() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        try (ProcessCluster cluster =
                ProcessCluster.start(quorate.script(), scratch, 2, 18_080, List.of())) {
            Path data = scratch.resolve("nodes-2");
            Files.writeString(data.resolve("n1/pid"), "123\n");
            assertThatExceptionOfType(CommandException.class)
                    .isThrownBy(cluster::processes)
                    .withMessageContaining("n2");
            Files.createDirectory(data.resolve("n2"));
            Files.writeString(data.resolve("n2/pid"), "456\n");
            assertThat(cluster.processes()).isEqualTo(Map.of("n1", 123L, "n2", 456L));
        }
    }

    @Test
    void aFailedStartReportsTheReasonAndStopsStartedNodes() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 7);
        Files.createDirectories(scratch.resolve("nodes-1/of-an-earlier-run"));
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(
                        () -> ProcessCluster.start(quorate.script(), scratch, 1, 18_080, List.of()))
                .withMessage(
                        "'quorate up --nodes 1 --port 18080 --detach' failed with status 7:"
                                + " n1 did not become ready.");
        assertThat(quorate.calls()).last().asString().startsWith("down");
        assertThat(scratch.resolve("nodes-1")).doesNotExist();
    }

    @Test
    void closeResumesAPausedNodeBeforeItStopsIt() throws Exception {
        assumeThat(Path.of("/proc/self/stat")).exists();
        FakeQuorate quorate = new FakeQuorate(home, 0);
        Process process = new ProcessBuilder("sleep", "600").start();
        try {
            ProcessCluster cluster =
                    ProcessCluster.start(quorate.script(), scratch, 1, 18_080, List.of());
            assertThatExceptionOfType(CommandException.class).isThrownBy(() -> cluster.pause("n1"));
            Files.writeString(scratch.resolve("nodes-1/n1/pid"), process.pid() + "\n");
            cluster.pause("n1");
            await().until(() -> state(process).equals("T"));
            cluster.resume("n1");
            await().until(() -> state(process).equals("S"));
            cluster.pause("n1");
            await().until(() -> state(process).equals("T"));
            cluster.close();
            await().until(() -> state(process).equals("S"));
            assertThat(quorate.calls()).last().asString().startsWith("down");
        } finally {
            process.destroyForcibly();
        }
    }

    /** As Ctrl-C does, where a command is just ending by itself. */
    @Test
    void aSecondCloseWaitsForTheFirst() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        ProcessCluster cluster =
                ProcessCluster.start(quorate.script(), scratch, 1, 18_080, List.of());
        Path down = quorate.holdDown();
        Thread first = Thread.ofPlatform().start(cluster::close);
        await().until(() -> quorate.calls().size() == 2);
        Thread second = Thread.ofPlatform().start(cluster::close);
        await().until(() -> second.getState() == Thread.State.BLOCKED);
        assertThat(scratch.resolve("nodes-1")).exists();
        Files.delete(down);
        first.join();
        second.join();
        assertThat(scratch.resolve("nodes-1")).doesNotExist();
        assertThat(quorate.calls()).hasSize(2);
    }

    private static String state(Process process) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).substring(0, 1);
    }
}
