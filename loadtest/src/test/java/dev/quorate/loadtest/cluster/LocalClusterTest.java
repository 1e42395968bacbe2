package dev.quorate.loadtest.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.loadtest.FakeQuorate;
import dev.quorate.loadtest.process.CommandException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalClusterTest {

    @TempDir private Path home;
    @TempDir private Path scratch;

    @Test
    void startsStopsAndLeavesNothingBehind() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        Path data = scratch.resolve("nodes-3");
        LocalCluster cluster = LocalCluster.start(quorate.script(), scratch, 3, 18_080);
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
    void knowsTheProcessesOfItsNodes() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        try (LocalCluster cluster = LocalCluster.start(quorate.script(), scratch, 2, 18_080)) {
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
    void saysWhyItDidNotStartAndStopsWhatDid() throws Exception {
        FakeQuorate quorate = new FakeQuorate(home, 7);
        Files.createDirectories(scratch.resolve("nodes-1/of-an-earlier-run"));
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> LocalCluster.start(quorate.script(), scratch, 1, 18_080))
                .withMessage(
                        "'quorate up --nodes 1 --port 18080 --detach' failed with status 7:"
                                + " n1 did not become ready.");
        assertThat(quorate.calls()).last().asString().startsWith("down");
        assertThat(scratch.resolve("nodes-1")).doesNotExist();
    }
}
