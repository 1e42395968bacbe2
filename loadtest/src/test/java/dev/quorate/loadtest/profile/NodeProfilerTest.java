package dev.quorate.loadtest.profile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quorate.cli.process.CommandException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Looks into a Java process of its own. */
class NodeProfilerTest {

    private static final String CASE = "three nodes, GET 2/3, 1 KiB";

    @TempDir private Path folder;
    @TempDir private Path scratch;

    /** A process that is at work, and prints a line a hundred times a second or so. */
    private static final class Worker implements AutoCloseable {

        private final Process process;
        private final BufferedReader lines;

        Worker() throws IOException {
            process =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-Xmx32m",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    BusyProcess.class.getName())
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            lines = process.inputReader(UTF_8);
            await(1);
        }

        void await(int count) throws IOException {
            for (int i = 0; i < count; i++) {
                String line = lines.readLine();
                // The profiler, too, has something to say there.
                while (!BusyProcess.LINE.equals(line)) {
                    assertThat(line).as("the process has ended").isNotNull();
                    line = lines.readLine();
                }
            }
        }

        Map<String, Long> nodes() {
            return Map.of("n1", process.pid());
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private Path library() throws IOException {
        Optional<Path> library = NodeProfiler.ProfilerLibrary.extract(scratch);
        assumeTrue(library.isPresent(), "no async-profiler for this system");
        return library.orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(NodeProfiler.ProfileKind.class)
    void drawsAFlameGraph(NodeProfiler.ProfileKind kind) throws Exception {
        NodeProfiler profiler = new NodeProfiler(kind, folder, library());
        try (Worker worker = new Worker()) {
            NodeProfiler.Recording recording = profiler.start(CASE, worker.nodes());
            try (recording) {
                worker.await(60);
            }
            String method =
                    switch (kind) {
                        case CPU -> "count";
                        case ALLOC -> "allocate";
                        case LOCK -> "lock";
                    };
            Path file = recording.files().get("n1");
            assertThat(file).content().contains("<html", method);
            try (Stream<Path> files = Files.list(folder)) {
                assertThat(files).containsExactly(file);
            }
        }
    }

    @Test
    void reportsALibraryThatDoesNotLoad() throws Exception {
        Path broken = Files.writeString(scratch.resolve("broken.so"), "no library");
        NodeProfiler profiler = new NodeProfiler(NodeProfiler.ProfileKind.ALLOC, folder, broken);
        try (Worker worker = new Worker()) {
            assertThatExceptionOfType(CommandException.class)
                    .isThrownBy(() -> profiler.start(CASE, worker.nodes()))
                    .withMessageContaining("start,event=alloc");
        }
    }

    @Test
    void reportsANodeThatEnded() throws Exception {
        Worker worker = new Worker();
        worker.close();
        worker.process.waitFor();
        NodeProfiler profiler = new NodeProfiler(NodeProfiler.ProfileKind.CPU, folder, library());
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> profiler.start(CASE, worker.nodes()))
                .withMessageContaining("in n1");
    }

    @Test
    void refusesAFolderThatItCannotName() {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(
                        () ->
                                new NodeProfiler(
                                        NodeProfiler.ProfileKind.CPU,
                                        folder.resolve("a,b"),
                                        scratch))
                .withMessageContaining("with a comma");
    }

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, true",
        "Linux, aarch64, true",
        "Mac OS X, aarch64, true",
        "Linux, riscv64, false",
        "Windows 11, amd64, false"
    })
    void hasALibraryForSomeSystems(String system, String processor, boolean there)
            throws IOException {
        assertThat(NodeProfiler.ProfilerLibrary.extract(scratch, system, processor).isPresent())
                .isEqualTo(there);
    }
}
