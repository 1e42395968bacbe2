package dev.quorate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.local.PrintableWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What nodes send does not steer the terminal of whoever asks them. */
final class TerminalTest {

    /** Clears the screen, sets the window's title, goes back over what was printed. */
    private static final String EVIL = "\u001b[2J\u001b]0;title\u0007\u009b31m\rover\u202etxt";

    private static void serve(ServerSocket server) {
        String body = "failed " + EVIL + "\n";
        String answer =
                "HTTP/1.1 503 Un\u001bavailable\r\nContent-Type: text/plain\r\nContent-Length: "
                        + body.getBytes(UTF_8).length
                        + "\r\nConnection: close\r\n\r\n"
                        + body;
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                var _ = socket.getInputStream().read(new byte[4_096]);
                OutputStream out = socket.getOutputStream();
                out.write(answer.getBytes(UTF_8));
                out.flush();
            } catch (IOException e) {
                // The next one, or the test is over.
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "get k",
                "put k v",
                "scan",
                "status",
                "events",
                "doctor",
                "checkpoint list",
                "log-level",
                "member list",
                "why k"
            })
    void noCommandPrintsWhatATerminalObeys(String command) throws IOException {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = System.out;
        PrintStream err = System.err;
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                PrintStream both = new PrintStream(printed, true, UTF_8)) {
            Thread.ofPlatform().daemon().start(() -> serve(server));
            System.setOut(both);
            System.setErr(both);
            String url = "http://127.0.0.1:" + server.getLocalPort();
            int exit =
                    Main.commandLine(
                                    (options, fatal) -> {
                                        throw new IllegalStateException("No node is started.");
                                    },
                                    Map.of())
                            .execute((command + " --url " + url).split(" "));
            assertThat(exit).isNotZero();
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        String text = printed.toString(UTF_8);
        assertThat(text)
                .as(command)
                .isNotBlank()
                .doesNotContainPattern("[\\p{Cc}&&[^\n\t]]|\u202e");
    }

    @Test
    void linesStayLinesAndLettersLetters() throws IOException {
        StringWriter text = new StringWriter();
        try (PrintableWriter writer = new PrintableWriter(text)) {
            writer.write("é\n\tok");
            writer.write("\u001b[0m".toCharArray(), 0, 2);
            writer.write('\u0007');
        }
        assertThat(text).hasToString("é\n\tok?[?");
    }
}
