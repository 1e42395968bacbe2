package dev.quorate.loadtest.cluster;

import dev.quorate.loadtest.process.Command;
import dev.quorate.loadtest.process.CommandException;
import java.io.IOException;
import java.io.UncheckedIOException;
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
 * Nodes on this machine with empty data of their own, as {@code ./quorate up --detach} has them.
 */
public final class LocalCluster implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Path quorate;
    private final Path data;
    private final Command command;
    private final int nodes;
    private final int port;
    private final Set<String> paused = ConcurrentHashMap.newKeySet();

    /** Guarded by this: who comes second waits until the first is done. */
    private boolean stopped;

    private LocalCluster(Path quorate, Path data, Path scratch, int nodes, int port) {
        this.quorate = quorate;
        this.data = data;
        this.command = new Command(scratch.resolve("quorate.out"));
        this.nodes = nodes;
        this.port = port;
    }

    /**
     * Starts a cluster and waits until it is ready.
     *
     * @param quorate the {@code quorate} script
     * @param scratch a folder for the data of the nodes, which {@link #close} deletes
     * @param port of the first node; the others follow
     * @param nodeFlags for each node
     * @throws CommandException if they do not become ready
     */
    public static LocalCluster start(
            Path quorate, Path scratch, int nodes, int port, List<String> nodeFlags)
            throws CommandException {
        Path data = scratch.resolve("nodes-" + nodes);
        LocalCluster cluster = new LocalCluster(quorate, data, scratch, nodes, port);
        boolean ready = false;
        try {
            deleteAll(data);
            cluster.runQuorate(
                    nodeFlags, "up", "--nodes", "" + nodes, "--port", "" + port, "--detach");
            ready = true;
            return cluster;
        } finally {
            if (!ready) {
                cluster.close();
            }
        }
    }

    private void runQuorate(List<String> nodeFlags, String... arguments) throws CommandException {
        List<String> line =
                Stream.of(
                                Stream.of(quorate.toString()),
                                Stream.of(arguments),
                                Stream.of("--data", data.toString()),
                                nodeFlags.stream().limit(1).map(_ -> "--"),
                                nodeFlags.stream())
                        .flatMap(part -> part)
                        .toList();
        Command.Result result = command.run(line, LIMIT);
        if (result.exit() != 0) {
            throw new CommandException(
                    "'quorate "
                            + String.join(" ", arguments)
                            + "' failed with status "
                            + result.exit()
                            + ": "
                            + result.output().strip());
        }
    }

    /** The address of the first node. */
    public String url() {
        return "http://127.0.0.1:" + port;
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
                runQuorate(List.of(), "down");
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
