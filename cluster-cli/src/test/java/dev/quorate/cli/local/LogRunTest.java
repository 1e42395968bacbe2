package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.SystemTicker;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code ./quorate logs}: which lines it prints. */
class LogRunTest {

    @TempDir private Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private ClusterDirectory directory;

    @BeforeEach
    void twoNodes() throws IOException {
        directory = new ClusterDirectory(folder);
        directory.writePlan(
                new ClusterPlan(2, 8080, ClusterPlan.DEFAULT_HEAP, List.of(), List.of()));
        append("n1", "old\n");
        directory.noteLogStart("n1");
        append("n1", "one\ntwo\nthree\n");
        append("n2", "uno\n");
    }

    private void append(String name, String text) {
        try {
            Files.createDirectories(directory.nodeFolder(name));
            Files.writeString(
                    directory.log(name),
                    text,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int run(String... arguments) {
        CommandLine commandLine =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        new LocalCommands(
                        List.of(),
                        SystemTicker.INSTANCE,
                        new SplittableRandom(1),
                        InputStream.nullInputStream(),
                        Map.of())
                .addTo(commandLine);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    @Test
    void theLastLinesSinceTheLastStartArePrinted() {
        String data = folder.toString();
        assertThat(run("logs", "n1", "--lines", "2", "--data", data)).isZero();
        assertThat(out.toString().lines()).containsExactly("two", "three");
        assertThat(run("logs", "--data", data)).isZero();
        assertThat(out.toString().lines().skip(2))
                .containsExactly("n1  one", "n1  two", "n1  three", "n2  uno");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        String data = folder.toString();
        assertThat(run("logs", "n3", "--data", data)).isEqualTo(1);
        assertThat(run("logs", "--lines", "1001", "--data", data)).isEqualTo(1);
        assertThat(run("logs", "--data", data + "/none")).isEqualTo(1);
        assertThat(err.toString())
                .contains("There is no node 'n3'", "from 0 to 1,000", "There is no cluster in");
    }

    @Test
    void followingPrintsWholeLinesAsTheyCome() throws IOException {
        Deque<Runnable> steps = new ArrayDeque<>();
        steps.add(() -> append("n1", "fo"));
        steps.add(() -> append("n1", "ur\nfi"));
        steps.add(
                () -> {
                    try {
                        Files.writeString(directory.log("n1"), "six\n");
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        new LogRun(directory, new PrintWriter(out, true))
                .run(
                        List.of("n1"),
                        0,
                        () -> {
                            Runnable step = steps.poll();
                            if (step != null) {
                                step.run();
                            }
                            return step != null;
                        });
        assertThat(out.toString().lines()).containsExactly("four", "six");
    }
}
