package dev.quorate.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Nodes on this machine with data of their own, which {@code ./quorate} starts and stops as a user
 * has it do.
 */
public final class LocalCluster implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** The ports of clients and of peers are below those of outgoing connections, and not 8080. */
    private static final int FIRST_PORT = 18_000;

    private static final int LAST_PORT = 22_700;
    private static final int PEER_PORT_OFFSET = 10_000;

    private final Path quorate;
    private final Path data;
    private final Command command;
    private final int nodes;
    private final int port;
    private final Set<String> paused = ConcurrentHashMap.newKeySet();

    /** Guarded by this: who comes second waits until the first is done. */
    private boolean stopped;

    /**
     * A cluster that is not started.
     *
     * @param quorate the {@code quorate} script
     * @param scratch a folder for the data of the nodes, which {@link #close} deletes
     * @param port of the first node; the others follow
     */
    public LocalCluster(Path quorate, Path scratch, int nodes, int port) {
        this.quorate = quorate;
        this.data = scratch.resolve("nodes-" + nodes);
        this.command = new Command(scratch.resolve("quorate.out"));
        this.nodes = nodes;
        this.port = port;
    }

    /**
     * The first of so many ports in a row on which nodes can listen, and on those for their peers.
     */
    public static int freePorts(int nodes) throws IOException {
        int places = (LAST_PORT - FIRST_PORT) / nodes;
        int first = (int) (ProcessHandle.current().pid() % places);
        for (int i = 0; i < places; i++) {
            int port = FIRST_PORT + (first + i) % places * nodes;
            if (areFree(port, nodes) && areFree(port + PEER_PORT_OFFSET, nodes)) {
                return port;
            }
        }
        throw new IOException(
                "There are no free ports from " + FIRST_PORT + " to " + LAST_PORT + ".");
    }

    private static boolean areFree(int firstPort, int count) {
        for (int port = firstPort; port < firstPort + count; port++) {
            try (ServerSocket socket = new ServerSocket()) {
                // As a node does it: connections of an earlier one that linger do not count.
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (IOException taken) {
                return false;
            }
        }
        return true;
    }

    /**
     * Starts a cluster with empty data and waits until it is ready.
     *
     * @param nodeFlags for each node
     * @throws CommandException if they do not become ready
     */
    public static LocalCluster start(
            Path quorate, Path scratch, int nodes, int port, List<String> nodeFlags)
            throws CommandException {
        LocalCluster cluster = new LocalCluster(quorate, scratch, nodes, port);
        boolean ready = false;
        try {
            deleteAll(cluster.data);
            cluster.up(nodeFlags);
            ready = true;
            return cluster;
        } finally {
            if (!ready) {
                cluster.close();
            }
        }
    }

    /**
     * Starts all nodes, on the data that there are, and waits until each is ready.
     *
     * @param nodeFlags for each node
     */
    public void up(List<String> nodeFlags) throws CommandException {
        runQuorate(nodeFlags, "up", "--nodes", "" + nodes, "--port", "" + port, "--detach");
    }

    /** Stops all nodes. */
    public void down() throws CommandException {
        runQuorate(List.of(), "down");
    }

    private void runQuorate(List<String> nodeFlags, String... words) throws CommandException {
        List<String> line =
                Stream.of(
                                Stream.of(quorate.toString()),
                                Stream.of(words),
                                Stream.of("--data", data.toString()),
                                nodeFlags.stream().limit(1).map(_ -> "--"),
                                nodeFlags.stream())
                        .flatMap(part -> part)
                        .toList();
        Command.Result result = command.run(line, LIMIT);
        if (result.exit() != 0) {
            throw new CommandException(
                    "'quorate "
                            + String.join(" ", words)
                            + "' failed with status "
                            + result.exit()
                            + ": "
                            + result.output().strip());
        }
    }

    /** The address of the first node. */
    public String url() {
        return url("n1");
    }

    /** The address of a node. */
    public String url(String name) {
        return "http://127.0.0.1:" + (port + Integer.parseInt(name.substring(1)) - 1);
    }

    /**
     * The processes of the nodes, by name.
     *
     * @throws CommandException if there is no telling
     */
    public Map<String, Long> processes() throws CommandException {
        Map<String, Long> processes = new TreeMap<>();
        for (int node = 1; node <= nodes; node++) {
            Path file = data.resolve("n" + node).resolve("pid");
            try {
                processes.put("n" + node, Long.valueOf(Files.readString(file).strip()));
            } catch (IOException | NumberFormatException e) {
                throw new CommandException("which process is n" + node + " is not known: " + e, e);
            }
        }
        return processes;
    }

    /** Kills a node, as a crash would, and returns when it is gone. */
    public void kill(String name) throws CommandException {
        runQuorate(List.of(), "kill", name);
    }

    /** Kills all nodes at once, and returns before they are gone. */
    public void killAll() throws CommandException {
        for (long process : processes().values()) {
            ProcessHandle.of(process).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    /** A node that does not run loses its disk. */
    public void loseData(String name) {
        deleteAll(data.resolve(name).resolve("data"));
    }

    /** Starts a node that was killed, and returns when it is ready. */
    public void startAgain(String name) throws CommandException {
        runQuorate(List.of(), "start", name);
    }

    /** Lets a node stand still. */
    public void pause(String name) throws CommandException {
        paused.add(name);
        signal("STOP", name);
    }

    /** Lets it go on. */
    public void resume(String name) throws CommandException {
        signal("CONT", name);
        paused.remove(name);
    }

    private void signal(String signal, String name) throws CommandException {
        Long process = processes().get(name);
        // Every shell has this built in; not every machine has it as a program.
        String line = "kill -" + signal + " " + process;
        Command.Result result = command.run(List.of("/bin/sh", "-c", line), LIMIT);
        if (process == null || result.exit() != 0) {
            throw new CommandException(
                    "'" + line + "' of " + name + " failed: " + result.output().strip());
        }
    }

    /** Stops the nodes and deletes their data, once. Where that fails, it says so and goes on. */
    @Override
    public synchronized void close() {
        if (stopped) {
            return;
        }
        stopped = true;
        try {
            resumeAll();
            if (Files.exists(data)) {
                down();
            }
            deleteAll(data);
        } catch (CommandException | UncheckedIOException e) {
            System.err.println("Nodes or data may be left over in " + data + ": " + e.getMessage());
        }
    }

    /** Those that stand still would not hear that they are to stop. */
    private void resumeAll() {
        for (String name : List.copyOf(paused)) {
            try {
                resume(name);
            } catch (CommandException e) {
                System.err.println(e.getMessage());
            }
        }
    }

    private static void deleteAll(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
