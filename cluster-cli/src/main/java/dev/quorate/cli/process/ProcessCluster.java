package dev.quorate.cli.process;

import dev.quorate.cli.local.LocalNodes;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A temporary cluster on this machine, started and stopped by the {@code ./quorate} script of any
 * checkout. {@code LocalNodes} starts nodes that differ in their options.
 */
public class ProcessCluster implements AutoCloseable {

    /** The ports for clients and for peers are less than the system's ephemeral ports. */
    private static final int FIRST_PORT = 18_000;

    private static final int LAST_PORT = 22_700;

    /** The distance from a node's port for clients to its port for peers. */
    public static final int PEER_PORT_OFFSET = 10_000;

    private final Path quorate;
    private final Path data;
    private final Command command;
    private final int nodes;
    private final int port;

    /** Guarded by this: a second caller of {@link #close} waits for the first. */
    private boolean stopped;

    /**
     * A cluster that is not started.
     *
     * @param quorate the {@code quorate} script
     * @param scratch the parent of the data folder, which {@link #close} deletes
     * @param port the port of the first node; the others follow
     */
    public ProcessCluster(Path quorate, Path scratch, int nodes, int port) {
        this.quorate = quorate;
        this.data = scratch.resolve("nodes-" + nodes);
        this.command = new Command(scratch.resolve("quorate.out"));
        this.nodes = nodes;
        this.port = port;
    }

    /** The first of {@code nodes} consecutive ports that are free, as are their peer ports. */
    public static int freePorts(int nodes) throws IOException {
        int places = (LAST_PORT - FIRST_PORT) / nodes;
        int first = (int) (ProcessHandle.current().pid() % places);
        for (int i = 0; i < places; i++) {
            int port = FIRST_PORT + (first + i) % places * nodes;
            if (areFree(port, nodes) && areFree(port + PEER_PORT_OFFSET, nodes)) {
                return port;
            }
        }
        throw new IOException("No free ports from " + FIRST_PORT + " to " + LAST_PORT + ".");
    }

    private static boolean areFree(int firstPort, int count) {
        return IntStream.range(firstPort, firstPort + count).allMatch(LocalNodes::isFree);
    }

    /**
     * Starts a cluster with empty data and waits until it is ready.
     *
     * @throws CommandException if they do not become ready
     */
    public static ProcessCluster start(
            Path quorate, Path scratch, int nodes, int port, List<String> nodeFlags)
            throws CommandException {
        ProcessCluster cluster = new ProcessCluster(quorate, scratch, nodes, port);
        try {
            deleteAll(cluster.data);
            cluster.up(nodeFlags);
            return cluster;
        } catch (CommandException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Starts all nodes with their existing data, and waits until each is ready. */
    public void up(List<String> nodeFlags) throws CommandException {
        runQuorate(nodeFlags, "up", "--nodes", "" + nodes, "--port", "" + port, "--detach");
    }

    public void down() throws CommandException {
        runQuorate(List.of(), "down");
    }

    /**
     * Runs a command of {@code ./quorate} on this cluster.
     *
     * @param nodeFlags flags for the nodes, after {@code --}
     * @throws CommandException if it fails
     */
    protected final void runQuorate(List<String> nodeFlags, String... words)
            throws CommandException {
        List<String> line =
                Stream.of(
                                Stream.of(quorate.toString()),
                                Stream.of(words),
                                Stream.of("--data", data.toString()),
                                nodeFlags.stream().limit(1).map(_ -> "--"),
                                nodeFlags.stream())
                        .flatMap(part -> part)
                        .toList();
        Command.Result result = command.run(line, Duration.ofMinutes(2));
        if (result.exit() != 0) {
            throw new CommandException(
                    "'quorate %s' failed with status %d: %s"
                            .formatted(
                                    String.join(" ", words),
                                    result.exit(),
                                    result.output().strip()));
        }
    }

    /** The address of the first node. */
    public String url() {
        return url("n1");
    }

    public String url(String name) {
        return "http://127.0.0.1:" + (port + Integer.parseInt(name.substring(1)) - 1);
    }

    /**
     * The process numbers of the nodes that run, by name.
     *
     * @throws CommandException if a number cannot be read
     */
    public Map<String, Long> processes() throws CommandException {
        Map<String, Long> processes = new TreeMap<>();
        try {
            LocalNodes found =
                    LocalNodes.find(data, List.of(), SystemTicker.INSTANCE).orElseThrow();
            for (String name : found.names()) {
                found.running(name).ifPresent(process -> processes.put(name, process.pid()));
            }
        } catch (IOException | NoSuchElementException e) {
            throw new CommandException("the processes of the nodes are not known: " + e, e);
        }
        return processes;
    }

    /** The folder that contains a folder for each node. */
    protected final Path data() {
        return data;
    }

    /** Stops the nodes and deletes their data, once. A failure is reported on standard error. */
    @Override
    public synchronized void close() {
        if (stopped) {
            return;
        }
        stopped = true;
        try {
            if (Files.exists(data)) {
                down();
            }
            deleteAll(data);
        } catch (CommandException | UncheckedIOException e) {
            System.err.println("Nodes or data may be left over in " + data + ": " + e.getMessage());
        }
    }

    /** Deletes a folder with everything in it, if it exists. */
    protected static void deleteAll(Path folder) {
        try {
            new DiskFiles().deleteTree(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
