package dev.quorate.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Answers without an end: each command ends with an error, in time and in a small heap. */
@Timeout(60)
final class EndlessAnswersTest {

    private static final String HEAD =
            "HTTP/1.1 200 OK\r\nX-Quorate-Version: 01a1ffa680e10000-36c6c909\r\n\r\n";

    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final CountDownLatch isOver = new CountDownLatch(1);
    private final StringWriter err = new StringWriter();

    EndlessAnswersTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        isOver.countDown();
        server.close();
    }

    /** Sends pieces until the client has gone. */
    private void serve(String piece, Duration pause) {
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            while (!server.isClosed()) {
                                try {
                                    Socket socket = server.accept();
                                    Thread.ofPlatform()
                                            .daemon()
                                            .start(() -> send(socket, piece, pause));
                                } catch (IOException e) {
                                    // It is closed.
                                }
                            }
                        });
    }

    private void send(Socket socket, String piece, Duration pause) {
        try (socket) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
            String line = in.readLine();
            while (line != null && !line.isEmpty()) {
                line = in.readLine();
            }
            socket.getOutputStream().write(HEAD.getBytes(ISO_8859_1));
            do {
                socket.getOutputStream().write(piece.getBytes(ISO_8859_1));
            } while (!isOver.await(pause.toMillis(), TimeUnit.MILLISECONDS));
        } catch (IOException | InterruptedException e) {
            // The client has gone.
        }
    }

    private int run(String command) {
        CommandLine commandLine = Main.commandLine(Map.of());
        commandLine.setOut(new PrintWriter(new StringWriter()));
        commandLine.setErr(new PrintWriter(err, true));
        String url = "http://127.0.0.1:" + server.getLocalPort();
        return commandLine.execute((command + " --url " + url).split(" ", -1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "get a",
                "scan",
                "export",
                "status",
                "events",
                "doctor",
                "checkpoint list",
                "why a"
            })
    void anAnswerThatIsTooLongIsNotReadToItsEnd(String command) {
        serve("x".repeat(100_000), Duration.ZERO);
        assertThat(run(command)).as(err.toString()).isNotZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "get a",
                "put a b",
                "scan",
                "export",
                "status",
                "events",
                "doctor",
                "log-level",
                "member list"
            })
    void anAnswerThatTakesTooLongIsNotWaitedFor(String command) {
        serve("x", Duration.ofMillis(100));
        assertThat(run(command + " --timeout 1")).as(err.toString()).isNotZero();
    }
}
