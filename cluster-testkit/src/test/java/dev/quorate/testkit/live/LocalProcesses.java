package dev.quorate.testkit.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A cluster of three processes, driven through the launcher as a user drives it. */
final class LocalProcesses implements AutoCloseable {

    /** What a run of the launcher printed, and how it ended. */
    record Run(int exit, String output) {
        Run expectSuccess() {
            if (exit != 0) {
                throw new AssertionError("exit " + exit + ": " + output);
            }
            return this;
        }
    }

    /** These, and those for peers, are below what systems give to outgoing connections. */
    private static final int FIRST_PORT = 18_000;

    private static final int LAST_PORT = 20_900;
    private static final int PEER_PORT_OFFSET = 10_000;
    private static final long LAUNCHER_TIMEOUT_SECONDS = 120;

    private final Path root = Path.of(System.getProperty("quorate.root"));
    private final Path data;
    private final int port;

    LocalProcesses(Path data) throws IOException {
        this.data = data;
        this.port = freePorts(3);
    }

    /** The first of {@code count} ports in a row that are free, also as ports for peers. */
    static int freePorts(int count) throws IOException {
        int start = FIRST_PORT + (int) (ProcessHandle.current().pid() * 10 % 2_000);
        for (int first = start; first < LAST_PORT; first += count) {
            boolean free = true;
            for (int i = 0; i < count && free; i++) {
                free = isFree(first + i) && isFree(first + i + PEER_PORT_OFFSET);
            }
            if (free) {
                return first;
            }
        }
        throw new IOException("no free ports");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    Run up(String... more) {
        List<String> words = new ArrayList<>(List.of("up", "--detach", "--port", "" + port));
        words.addAll(List.of(more));
        return launcher(words.toArray(String[]::new));
    }

    /** Runs {@code ./quorate WORD --data DIR WORDS…}. */
    Run launcher(String... words) {
        List<String> command = new ArrayList<>(List.of(root.resolve("quorate").toString()));
        command.addAll(List.of(words[0], "--data", data.toString()));
        // After it, because what follows a lone -- is for the nodes.
        command.addAll(List.of(words).subList(1, words.length));
        return run(command);
    }

    static Run run(List<String> command) {
        try {
            Path output = Files.createTempFile("launcher", ".out");
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .redirectInput(
                                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                            .start();
            if (!process.waitFor(LAUNCHER_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(
                        "still running: " + command + "\n" + Files.readString(output));
            }
            String text = Files.readString(output);
            Files.delete(output);
            return new Run(process.exitValue(), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    String url(int node) {
        return "http://127.0.0.1:" + (port + node - 1);
    }

    long pid(int node) throws IOException {
        return Long.parseLong(Files.readString(data.resolve("n" + node).resolve("pid")).trim());
    }

    void signal(String signal, int... nodes) throws IOException {
        List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
        for (int node : nodes) {
            command.add("" + pid(node));
        }
        run(command).expectSuccess();
    }

    /** A node that does not run loses its disk. */
    void loseData(int node) throws IOException {
        try (Stream<Path> files = Files.walk(data.resolve("n" + node).resolve("data"))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    Path data() {
        return data;
    }

    @Override
    public void close() {
        launcher("down");
    }
}
