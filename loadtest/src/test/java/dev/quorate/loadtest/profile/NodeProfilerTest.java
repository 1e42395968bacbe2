package dev.quorate.loadtest.profile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.NodeProcess;
import dev.quorate.loadtest.bench.Profiler;
import dev.quorate.loadtest.bench.RunningCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
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
    private final List<String> said = new ArrayList<>();

    /** A process that is at work, and prints a line a hundred times a second or so. */
    private static final class Worker implements RunningCluster {

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

        @Override
        public String url() {
            throw new UnsupportedOperationException("this is not asked anything");
        }

        @Override
        public List<NodeProcess> nodes() {
            return List.of(new NodeProcess("n1", process.pid()));
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private void profile(ProfileKind kind, Optional<Path> library) throws Exception {
        Profiler profiler = new NodeProfiler(kind, folder, library, scratch, said::add);
        try (Worker worker = new Worker()) {
            try (Profiler.Recording _ = profiler.start(CASE, worker)) {
                worker.await(60);
            }
        }
    }

    private Path file(String extension) {
        return folder.resolve("three-nodes-get-2-3-1-kib-n1" + extension);
    }

    @ParameterizedTest
    @EnumSource(ProfileKind.class)
    void drawsAFlameGraphAndWritesItsStacks(ProfileKind kind) throws Exception {
        Optional<Path> library = ProfilerLibrary.extract(scratch);
        assumeTrue(library.isPresent(), "no async-profiler for this system");
        profile(kind, library);
        assertThat(said).isEmpty();
        String method =
                switch (kind) {
                    case CPU -> "BusyProcess.count";
                    case ALLOC -> "BusyProcess.allocate";
                    case LOCK -> "BusyProcess.lock";
                };
        assertThat(file(".collapsed")).content().contains(method);
        assertThat(file(".html")).content().contains("<html", method.replaceFirst(".*\\.", ""));
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).hasSize(2);
        }
    }

    @Test
    void recordsWhereThereIsNoAsyncProfiler() throws Exception {
        profile(ProfileKind.CPU, Optional.empty());
        assertThat(said)
                .containsExactly(
                        "n1 is profiled by the Flight Recorder: async-profiler has no library for"
                                + " this system.");
        assertThat(RecordingFile.readAllEvents(file(".jfr")))
                .anyMatch(event -> event.getEventType().getName().equals("jdk.ExecutionSample"));
    }

    @Test
    void recordsWhereAsyncProfilerDoesNotLoad() throws Exception {
        Path broken = Files.writeString(scratch.resolve("broken.so"), "no library");
        profile(ProfileKind.ALLOC, Optional.of(broken));
        assertThat(said).hasSize(1).first().asString().contains("start,event=alloc");
        assertThat(file(".jfr")).isNotEmptyFile();
    }

    @Test
    void reportsANodeThatEnded() throws Exception {
        Worker worker = new Worker();
        worker.close();
        worker.process.waitFor();
        Profiler profiler =
                new NodeProfiler(
                        ProfileKind.CPU,
                        folder,
                        ProfilerLibrary.extract(scratch),
                        scratch,
                        said::add);
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> profiler.start(CASE, worker))
                .withMessageContaining("jcmd failed for n1");
    }

    @Test
    void refusesAFolderThatItCannotName() {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(
                        () ->
                                new NodeProfiler(
                                        ProfileKind.CPU,
                                        folder.resolve("a,b"),
                                        Optional.empty(),
                                        scratch,
                                        said::add))
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
        assertThat(ProfilerLibrary.extract(scratch, system, processor).isPresent())
                .isEqualTo(there);
    }
}
