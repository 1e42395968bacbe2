package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.Command;
import dev.quorate.cli.process.ProcessCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each load script against one node of a running cluster, with not one unexpected answer. */
final class LoadScriptsIT {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final Path RUN = ROOT.resolve("loadtest/wrk2/run");
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir static Path scratch;
    private static ProcessCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        String path = System.getenv("PATH");
        if (Command.find("wrk2", path).or(() -> Command.find("wrk", path)).isEmpty()) {
            System.out.println("SKIPPED: neither wrk2 nor wrk is installed");
            Assumptions.abort("neither wrk2 nor wrk is installed");
        }
        cluster =
                ProcessCluster.start(
                        ROOT.resolve("quorate"),
                        scratch,
                        3,
                        ProcessCluster.freePorts(3),
                        List.of());
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "put --overwrite", "get", "mix", "mix --overwrite", "delete"})
    void answersWithoutASurprise(String script) throws Exception {
        for (String replicas : List.of("1/1", "2/3", "3/3")) {
            List<String> command = new ArrayList<>(List.of(RUN.toString()));
            command.addAll(Stream.of(script.split(" ")).toList());
            command.addAll(List.of("--replicas", replicas, "--url", cluster.url()));
            command.addAll(List.of("--keys", "2000", "--value-bytes", "100"));
            command.addAll(List.of("--connections", "8", "--duration", "1s", "--rate", "500"));
            Command.Result run = new Command(scratch.resolve("wrk.out")).run(command, LIMIT);
            assertThat(run.output()).contains("Unexpected answers: 0 of ");
            assertThat(run.exit()).isZero();
        }
    }
}
