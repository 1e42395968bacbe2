package dev.quorate.testkit.check;

import dev.quorate.cli.Main;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A node in a process of its own, with an address now and another one after its move. */
final class MovableNode implements AutoCloseable {

    private static final int LOG_LINES = 20;

    private final Path folder;
    private final String name;
    private final URI later;

    /** Bound, but not listening, so that no other program is given the port before the move. */
    private final Socket reserved = new Socket();

    private URI url;
    private Process process;

    /**
     * @param folder contains the file {@code secret}, and a folder for each node
     */
    MovableNode(Path folder, String name, int port, int laterPort) throws IOException {
        this.folder = Files.createDirectory(folder.resolve(name));
        this.name = name;
        this.url = url(port);
        this.later = url(laterPort);
        reserved.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), laterPort));
    }

    private static URI url(int port) {
        return URI.create("http://127.0.0.1:" + port);
    }

    String name() {
        return name;
    }

    /** The address in this node's own option, at which it listens. */
    URI url() {
        return url;
    }

    URI later() {
        return later;
    }

    /** Changes the address in this node's own option, for the next start. */
    void move() throws IOException {
        reserved.close();
        url = later;
        String moved = Files.readString(options()).replaceAll(name + "=[^,\n]*", name + "=" + url);
        Files.writeString(options(), moved);
    }

    private Path options() {
        return folder.resolve("node.properties");
    }

    private Path log() {
        return folder.resolve("log");
    }

    void writeOptions(String topology) throws IOException {
        Files.writeString(
                options(),
                """
                name=%s
                topology=%s
                data=%s
                secret-file=%s
                """
                        .formatted(
                                name,
                                topology,
                                folder.resolve("data"),
                                folder.resolveSibling("secret")));
    }

    /** Starts the process; returns before the node is ready. */
    void start() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        // The class path has the silent logging of tests, too.
                        "-Dlogback.configurationFile=logback.xml",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(Main.nodeCommand());
        command.addAll(List.of("--config", options().toString()));
        process =
                new ProcessBuilder(command)
                        .redirectInput(Redirect.from(new File("/dev/null")))
                        .redirectErrorStream(true)
                        .redirectOutput(Redirect.appendTo(log().toFile()))
                        .start();
    }

    /** Sends SIGKILL, and returns when the process has ended. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    boolean isRunning() {
        return process.isAlive();
    }

    /** The last lines of the log, for messages of failed tests. */
    String logTail() throws IOException {
        List<String> lines = Files.readString(log(), StandardCharsets.UTF_8).lines().toList();
        return String.join(
                "\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            kill();
        }
        reserved.close();
    }
}
