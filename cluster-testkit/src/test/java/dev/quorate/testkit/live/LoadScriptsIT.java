package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
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

    private static final Path RUN =
            Path.of(System.getProperty("quorate.root"), "loadtest", "wrk2", "run");

    @TempDir static Path data;
    private static LocalProcesses cluster;

    @BeforeAll
    static void start() throws IOException {
        if (LocalProcesses.run(List.of("bash", "-c", "command -v wrk2 || command -v wrk")).exit()
                != 0) {
            System.out.println("SKIPPED: neither wrk2 nor wrk is installed");
            Assumptions.abort("neither wrk2 nor wrk is installed");
        }
        cluster = new LocalProcesses(data);
        cluster.up().expectSuccess();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "put --overwrite", "get", "mix", "mix --overwrite", "delete"})
    void answersWithoutASurprise(String script) {
        for (String replicas : List.of("1/1", "2/3", "3/3")) {
            List<String> command = new ArrayList<>(List.of(RUN.toString()));
            command.addAll(Stream.of(script.split(" ")).toList());
            command.addAll(List.of("--replicas", replicas, "--url", cluster.url(1)));
            command.addAll(List.of("--keys", "2000", "--value-bytes", "100"));
            command.addAll(List.of("--connections", "8", "--duration", "1s", "--rate", "500"));
            LocalProcesses.Run run = LocalProcesses.run(command).expectSuccess();
            assertThat(run.output()).contains("Unexpected answers: 0 of ");
        }
    }
}
