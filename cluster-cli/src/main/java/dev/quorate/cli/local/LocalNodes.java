package dev.quorate.cli.local;

import dev.quorate.node.runtime.Ticker;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The nodes of a cluster on this machine, one by one, for programs that break them: those that
 * {@code ./quorate up} has started, or others of one's own. What is asked of a node that is not
 * there to do it does nothing, since nodes may end at any moment.
 */
public final class LocalNodes {

    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
    private static final int LOG_LINES = 5;

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
     * The nodes of a new cluster, none of them started.
     *
     * @param folder empty
     * @param nodes how many: n1, n2 and so on
     * @param firstPort of n1; the others follow, and their doors are {@link #PEER_PORT_OFFSET}
     *     above
     * @param nodeCommand what follows Java's own flags to start a node: class path, main class and
     *     first words
     * @param ownOptions flags for each node, by its name
     * @param random makes the secret: has to be one that cannot be guessed
     * @throws IOException also where a cluster cannot look like that
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
        try {
            directory.requireOursOrEmpty();
            ClusterPlan plan =
                    new ClusterPlan(nodes, firstPort, ClusterPlan.DEFAULT_HEAP, List.of())
                            .checked();
            directory.writePlan(plan);
            directory.createSecret(random);
            NodeProcesses processes = new NodeProcesses(directory, nodeCommand, ticker);
            return new LocalNodes(directory, plan, processes, ownOptions);
        } catch (LocalFailure e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * The nodes of the cluster that {@code ./quorate up} has started there, if it has.
     *
     * @param nodeCommand as for {@link #create}
     */
    public static Optional<LocalNodes> find(Path folder, List<String> nodeCommand, Ticker ticker)
            throws IOException {
        ClusterDirectory directory = new ClusterDirectory(folder);
        try {
            NodeProcesses processes = new NodeProcesses(directory, nodeCommand, ticker);
            return directory
                    .plan()
                    .map(plan -> new LocalNodes(directory, plan, processes, name -> List.of()));
        } catch (LocalFailure e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** What lies between a node's port for clients and its port for peers. */
    public static final int PEER_PORT_OFFSET = ClusterPlan.PEER_PORT_OFFSET;

    /** n1, n2 and so on. */
    public List<String> names() {
        return plan.names();
    }

    /** Where clients reach it. */
    public URI url(String name) {
        return URI.create(plan.url(name));
    }

    /** Whether its process is there; one that is paused is. */
    public boolean isRunning(String name) throws IOException {
        return processes.running(name).isPresent();
    }

    /** Starts a node that does not run, and returns before it is ready. */
    public void start(String name) throws IOException {
        if (!isRunning(name)) {
            processes.start(plan, name, ownOptions.apply(name));
        }
    }

    /**
     * Kills a node as a crash would, and waits until it is gone.
     *
     * @throws IOException if it does not go
     */
    public void kill(String name) throws IOException, InterruptedException {
        Optional<ProcessHandle> process = processes.running(name);
        if (process.isPresent()) {
            process.get().destroyForcibly();
            if (!processes.awaitExit(process.get(), name, KILL_LIMIT)) {
                throw new IOException(name + " does not die.");
            }
        }
    }

    /** Lets a node stand still, as a long pause of its machine would. */
    public void pause(String name) throws IOException, InterruptedException {
        signal("STOP", name);
    }

    /** Lets a node go on. */
    public void resume(String name) throws IOException, InterruptedException {
        signal("CONT", name);
    }

    private void signal(String signal, String name) throws IOException, InterruptedException {
        Optional<ProcessHandle> process = processes.running(name);
        if (process.isPresent()) {
            // Every shell has this built in; not every machine has it as a program.
            Process kill =
                    new ProcessBuilder(
                                    "/bin/sh", "-c", "kill -" + signal + " " + process.get().pid())
                            .redirectErrorStream(true)
                            .redirectOutput(new File("/dev/null"))
                            .start();
            kill.waitFor();
        }
    }

    /** The last lines that a node printed, each after a line feed, and where the others are. */
    public String lastWords(String name) throws IOException {
        StringBuilder text = new StringBuilder("the last in " + directory.log(name) + ":");
        directory.lastLogLines(name, LOG_LINES).forEach(line -> text.append("\n  ").append(line));
        return text.toString();
    }
}
