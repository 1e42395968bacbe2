package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./quorate check} as a user runs it, over real processes. */
final class CheckIT {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    @TempDir Path folder;

    private Process check(String... words) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(ROOT.resolve("quorate").toString(), "check"));
        command.addAll(List.of(words));
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output().toFile())
                        .redirectInput(Redirect.from(Path.of("/dev/null").toFile()));
        // Its clusters live here, so that what it leaves behind can be seen.
        builder.environment().put("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + folder);
        return builder.start();
    }

    private Path output() {
        return folder.resolve("output");
    }

    private String text() {
        try {
            return Files.exists(output()) ? Files.readString(output()) : "";
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private int exit(Process process) throws InterruptedException {
        boolean ended = process.waitFor(240, TimeUnit.SECONDS);
        process.destroy();
        assertThat(ended).as(text()).isTrue();
        return process.exitValue();
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("quorate-check-"));
        }
        assertThat(nodes()).isEmpty();
    }

    /** Nodes of this test that are running. */
    private Set<Long> nodes() {
        return ProcessHandle.allProcesses()
                .filter(
                        process ->
                                process.info()
                                        .commandLine()
                                        .orElse("")
                                        .contains("-Dquorate.node=" + folder))
                .map(ProcessHandle::pid)
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @ValueSource(strings = {"quorum", "linearizable"})
    void aKilledPausedAndPartitionedClusterKeepsItsPromise(String promise) throws Exception {
        Process process = check("--duration", "15s", "--faults", "all", "--promise", promise);
        assertThat(exit(process)).as(text()).isZero();
        System.out.println(text());
        assertThat(text()).contains("HELD", "seed: ");
        assertNothingIsLeft();
    }

    /** Ctrl-C sends the same to the whole terminal; nodes do not listen to it. */
    @Test
    void anInterruptDeletesTheCluster() throws Exception {
        Process process = check("--duration", "10m");
        await().atMost(Duration.ofMinutes(3)).until(() -> text().contains("operations ("));
        assertThat(nodes()).isNotEmpty();
        process.destroy();
        assertThat(exit(process)).isNotZero();
        assertNothingIsLeft();
    }
}
