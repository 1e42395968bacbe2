package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.PortOwner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MainTest {

    @TempDir Path folder;

    private static PrintStream full() {
        return new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("No space left on device");
                    }
                },
                true,
                StandardCharsets.UTF_8);
    }

    @Test
    void whatCannotBePrintedIsAFailure() {
        PrintStream out = full();
        out.println("entries");
        assertThat(Main.status(0, out)).isEqualTo(1);
        assertThat(Main.status(5, out)).isEqualTo(5);
        PrintStream good =
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        good.println("entries");
        assertThat(Main.status(0, good)).isZero();
    }

    /** An export ends at once. */
    @Test
    void whatCannotBePrintedEndsACommandThatPrintsBytes() throws IOException {
        OutputStream out = Main.failing(full());
        assertThatThrownBy(() -> out.write(new byte[100_000])).isInstanceOf(IOException.class);
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        OutputStream good = Main.failing(new PrintStream(taken, false, StandardCharsets.UTF_8));
        good.write(new byte[100_000]);
        good.write('a');
        good.flush();
        assertThat(taken.size()).isEqualTo(100_001);
    }

    /** As the other programs of a pipe, which SIGPIPE ends. */
    @Test
    void aCommandWhoseReaderEndsIsSilent() throws Exception {
        Process command =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "help")
                        .start();
        command.getInputStream().close();
        assertThat(new String(command.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(command.waitFor()).isEqualTo(141);
    }

    @ParameterizedTest
    @CsvSource({
        "key, ANSI_X3.4-1968, false",
        "k\u00e9y, ANSI_X3.4-1968, true",
        "k\u00e9y, ISO-8859-1, true",
        "k\u00e9y, UTF-8, false",
        "k\uFFFDy, UTF-8, true",
        "k\u00e9y, '', true"
    })
    void anArgumentThatJavaMayHaveChangedIsRefused(
            String word, String encoding, boolean isRefused) {
        assertThat(Main.isDistorted(new String[] {"put", word}, encoding)).isEqualTo(isRefused);
    }

    @Test
    void aPlainCommandLineOfANodeNeedsNoDescription() {
        assertThat(flags("node --name=n1 --topology=n1=http://a:1 --host="))
                .isEqualTo(Map.of("name", "n1", "topology", "n1=http://a:1", "host", ""));
        assertThat(flags("node")).isEmpty();
        for (String other :
                List.of(
                        "node --name n1",
                        "node --name",
                        "node --nam=n1",
                        "node --name=n1 --name=n2",
                        "node -name=n1",
                        "node name=n1",
                        "node --help",
                        "node --config=file",
                        "put --name=n1")) {
            assertThat(flags(other)).as(other).isNull();
        }
    }

    private static @Nullable Map<String, String> flags(String line) {
        return NodeCommand.plainFlags(line.split(" ", -1));
    }

    @Test
    void aNodeThatCannotStartSaysWhatIsWrongWithAFile() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Path dangling = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("absent"));
        assertThat(Commands.reason(new AccessDeniedException("/data")))
                .isEqualTo("this user may not read and write /data.");
        for (Path each : List.of(file, dangling)) {
            IOException refused =
                    catchThrowableOfType(IOException.class, () -> Files.createDirectories(each));
            assertThat(Commands.reason(refused))
                    .startsWith(each.toString())
                    .contains(
                            each.equals(file)
                                    ? "not a directory"
                                    : "a link to what does not exist");
        }
        assertThat(Commands.reason(new IOException("the clock is wrong")))
                .isEqualTo("the clock is wrong");
    }

    /** Only Linux shows it. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void theProcessThatUsesAPortIsNamed() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            int port = socket.getLocalPort();
            assertThat(PortOwner.of(port))
                    .hasValueSatisfying(
                            user ->
                                    assertThat(user)
                                            .startsWith(
                                                    "process "
                                                            + ProcessHandle.current().pid()
                                                            + " ("));
            assertThat(NodeCommand.portUsers(port, port + 1))
                    .contains(" Port " + port + " is used by process ");
        }
    }
}
