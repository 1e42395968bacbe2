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

/** A node in a process of its own, which is killed and started again. */
class NodeProcess implements AutoCloseable {

    private static final int LOG_LINES = 20;

    private final Path folder;
    private final String name;
    private final URI url;

    /** Bound, but not listening, so that no other program is given the port before the start. */
    private final Socket reserved;

    private Process process;

    /**
     * @param folder contains the file {@code secret}, and a folder for each node
     */
    NodeProcess(Path folder, String name, int port) throws IOException {
        this.folder = Files.createDirectory(folder.resolve(name));
        this.name = name;
        this.url = URI.create("http://127.0.0.1:" + port);
        this.reserved = reserve(port);
    }

    static Socket reserve(int port) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    final String name() {
        return name;
    }

    /** The address at which it listens. */
    URI url() {
        return url;
    }

    final Path options() {
        return folder.resolve("node.properties");
    }

    private Path log() {
        return folder.resolve("log");
    }

    /**
     * Writes the options for the next starts.
     *
     * @param members lines that say who the members are
     */
    final void writeOptions(String members) throws IOException {
        Files.writeString(
                options(),
                """
                name=%s
                data=%s
                secret-file=%s
                %s
                """
                        .formatted(name, data(), folder.resolveSibling("secret"), members));
    }

    /** Starts the process; returns before the node is ready. */
    final void start() throws IOException {
        reserved.close();
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
    final void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Sends SIGTERM, and returns the exit status. */
    final int stop() {
        process.destroy();
        return process.onExit().join().exitValue();
    }

    final long pid() {
        return process.pid();
    }

    /** The data directory. */
    final Path data() {
        return folder.resolve("data");
    }

    final boolean isRunning() {
        return process.isAlive();
    }

    /** The last lines of the log, for messages of failed tests. */
    final String logTail() throws IOException {
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

    @Override
    public String toString() {
        return name;
    }
}
