package dev.quorate.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./quorate report}, where it cannot do what it is told. */
class ReportCommandTest {

    @TempDir private Path home;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        List<String> words = new ArrayList<>(List.of("report"));
        words.addAll(List.of(arguments));
        return LoadTest.commandLine(
                        home, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8))
                .execute(words.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--keys=10",
                "--share=0",
                "--share=101",
                "--p99-limit-millis=0",
                "--api=gossip",
                "--api=etcd",
                "--url=localhost:8080",
                "--url=http://localhost:8080/v0/entity",
                "--scenarios=nothing-*",
                "--set=all",
                "--port=0"
            })
    void reportsInvalidOptions(String argument) throws IOException {
        new FakeQuorate(home, 0);
        assertThat(run(argument, "--plan")).isEqualTo(2);
        assertThat(err.toString(UTF_8)).isNotEmpty();
        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(home.resolve(".quorate")).doesNotExist();
    }

    @Test
    void printsItsPlanAndMeasuresNothing() throws IOException {
        new FakeQuorate(home, 0);
        assertThat(run("--quick", "--plan")).isZero();
        assertThat(out.toString(UTF_8)).contains("quorum-put: PUT 2/3, 64 connections\n");
        assertThat(home.resolve(".quorate")).doesNotExist();
    }

    @Test
    void ofANodeThatDoesNotAnswerThereIsNoReport() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Path folder = home.resolve("report");
        assertThat(run("--quick", "--url=http://127.0.0.1:" + port, "--out=" + folder))
                .isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("no report was written.");
        assertThat(folder).doesNotExist();
    }

    @Test
    void ofNodesThatDoNotStartThereIsNoReport() throws IOException {
        new FakeQuorate(home, 1);
        Path folder = home.resolve("report");
        assertThat(run("--quick", "--out=" + folder)).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("n1 did not become ready");
        assertThat(folder).doesNotExist();
    }

    @Test
    void aFolderThatIsNotEmptyIsLeftAlone() throws IOException {
        new FakeQuorate(home, 0);
        Path mine =
                Files.writeString(Files.createDirectory(home.resolve("mine")).resolve("a"), "a");
        assertThat(run("--quick", "--out=" + mine.getParent())).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("is not empty");
        assertThat(mine).hasContent("a");
    }

    @Test
    void aRunningClusterIsNotStartedAnew() throws IOException {
        new FakeQuorate(home, 0);
        assertThat(run("--plan", "--url=http://localhost:8080", "--api=ack-from")).isZero();
        assertThat(out.toString(UTF_8))
                .contains("quorum-put:", "quorum-range:")
                .doesNotContain("fresh", "growing");
    }
}
