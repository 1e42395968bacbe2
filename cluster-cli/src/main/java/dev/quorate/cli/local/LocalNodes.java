package dev.quorate.cli.local;

import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The nodes of a cluster on this machine, for programs that start and stop them separately. {@code
 * ./quorate up} may have started the cluster.
 */
public final class LocalNodes {

    private final ClusterDirectory directory;
    private final ClusterPlan plan;
    private final NodeProcesses processes;
    private final Function<String, List<String>> ownOptions;

    private LocalNodes(
            ClusterDirectory directory,
            ClusterPlan plan,
            NodeProcesses processes,
            Function<String, List<String>> ownOptions) {
        this.directory = directory;
        this.plan = plan;
        this.processes = processes;
        this.ownOptions = ownOptions;
    }

    /**
     * The nodes of a new cluster, which are not started.
     *
     * @param folder an empty folder
     * @param firstPort the port of n1; the others follow
     * @param nodeCommand the arguments after the JVM flags that start a node: class path, main
     *     class and first words
     * @param ownOptions the flags of a node by its name
     * @param random generates the secret; must be cryptographically strong
     * @throws IOException also if the number of nodes or a port is invalid
     */
    public static LocalNodes create(
            Path folder,
            int nodes,
            int firstPort,
            List<String> nodeCommand,
            Function<String, List<String>> ownOptions,
            Ticker ticker,
            RandomGenerator random)
            throws IOException {
        ClusterDirectory directory = new ClusterDirectory(folder);
        directory.requireOursOrEmpty();
        String heap = ClusterPlan.DEFAULT_HEAP;
        ClusterPlan plan = new ClusterPlan(nodes, firstPort, heap, List.of(), List.of()).checked();
        directory.writePlan(plan);
        directory.createSecret(random);
        NodeProcesses processes = new NodeProcesses(directory, nodeCommand, ticker);
        return new LocalNodes(directory, plan, processes, ownOptions);
    }

    /** The nodes of the cluster of {@code ./quorate up} in a folder; empty if there is none. */
    public static Optional<LocalNodes> find(Path folder, List<String> nodeCommand, Ticker ticker)
            throws IOException {
        ClusterDirectory directory = new ClusterDirectory(folder);
        NodeProcesses processes = new NodeProcesses(directory, nodeCommand, ticker);
        return directory
                .plan()
                .map(plan -> new LocalNodes(directory, plan, processes, name -> List.of()));
    }

    /** The URLs of the running nodes of the cluster in a folder; empty if there is no cluster. */
    public static List<String> runningUrls(Path folder, Ticker ticker) throws IOException {
        LocalNodes nodes = find(folder, List.of(), ticker).orElse(null);
        return nodes == null
                ? List.of()
                : nodes.processes.runningNames(nodes.plan).stream().map(nodes.plan::url).toList();
    }

    /** Whether a node could listen on a port of this machine. */
    public static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // As a node does, so that connections in TIME_WAIT do not count.
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    /** The names of the nodes: n1, n2 and so on. */
    public List<String> names() {
        return plan.names();
    }

    /** The URL of a node for clients. */
    public URI url(String name) {
        return URI.create(plan.url(name));
    }

    /** The process of a node, paused or not; empty if the node does not run. */
    public Optional<ProcessHandle> running(String name) throws IOException {
        return processes.running(name);
    }

    /** Starts a node unless it runs. Returns before the node is ready. */
    public void start(String name) throws IOException {
        if (running(name).isEmpty()) {
            processes.start(plan, name, ownOptions.apply(name));
        }
    }

    /** Sends SIGKILL and waits for the end of the process, if the node runs. */
    public void kill(String name) throws IOException {
        Optional<ProcessHandle> process = running(name);
        if (process.isEmpty()) {
            return;
        }
        process.get().destroyForcibly();
        try {
            if (!processes.awaitExit(process.get(), name, Duration.ofSeconds(30))) {
                throw new IOException(name + " does not end.");
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Sends SIGSTOP, if the node runs. */
    public void pause(String name) throws IOException {
        signal("STOP", name);
    }

    /** Sends SIGCONT, if the node runs. A paused node does not handle SIGTERM. */
    public void resume(String name) throws IOException {
        signal("CONT", name);
    }

    private void signal(String signal, String name) throws IOException {
        Optional<ProcessHandle> process = running(name);
        if (process.isEmpty()) {
            return;
        }
        // kill is built into every shell; not every machine has it as a program.
        String line = "kill -" + signal + " " + process.get().pid();
        try {
            new ProcessBuilder("/bin/sh", "-c", line)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IOException("A signal to a node was interrupted.", e);
    }

    /** The path of a node's log, and the last lines, each after a line feed. */
    public String lastLogLines(String name) throws IOException {
        StringBuilder text = new StringBuilder("the last in " + directory.log(name) + ":");
        directory.lastLogLines(name, 5).forEach(line -> text.append("\n  ").append(line));
        return text.toString();
    }
}
