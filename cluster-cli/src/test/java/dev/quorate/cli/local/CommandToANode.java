package dev.quorate.cli.local;

import dev.quorate.router.runtime.SystemTicker;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A test of a command that asks a node, which says what the test has it say. */
abstract class CommandToANode {

    @TempDir Path directory;

    /** The first line of each request. */
    final List<String> asked = Collections.synchronizedList(new ArrayList<>());

    /** The other lines of their heads. */
    final List<String> headers = Collections.synchronizedList(new ArrayList<>());

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    /** Of the command. */
    Map<String, String> environment = Map.of();

    ServerSocket server;
    private Thread serving;

    /** What the node answers next: everything that it sends. */
    abstract String next();

    @BeforeEach
    void listen() throws IOException {
        serve(new ServerSocket(0, 10, InetAddress.getLoopbackAddress()));
    }

    void serve(ServerSocket listening) {
        server = listening;
        serving = Thread.ofPlatform().daemon().start(this::serve);
    }

    /** From now on nobody listens there. */
    @AfterEach
    void close() throws IOException, InterruptedException {
        server.close();
        serving.join(); // or it might still take one connection
    }

    private void serve() {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                BufferedReader reader =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.US_ASCII));
                asked.add(reader.readLine());
                for (String line = reader.readLine(); !line.isEmpty(); line = reader.readLine()) {
                    headers.add(line);
                }
                socket.getOutputStream().write(next().getBytes(StandardCharsets.UTF_8));
            } catch (IOException | NullPointerException e) {
                // The next one.
            }
        }
    }

    /** Gives the command's exit status. */
    int execute(String typed, String... arguments) {
        CommandLine commandLine = new CommandLine(CommandSpec.create().name("quorate"));
        new LocalCommands(
                        List.of(),
                        SystemTicker.INSTANCE,
                        new SplittableRandom(1),
                        new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8)),
                        environment)
                .addTo(commandLine);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }
}
