package dev.quorate.cli.local;

import dev.quorate.node.runtime.Ticker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The commands for a local cluster. Each failure is one sentence for the user. */
final class LocalCluster {

    private static final Duration READY_LIMIT = Duration.ofSeconds(60);

    /** Longer than a node's own drain timeout. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(15);

    private static final Duration KILL_LIMIT = Duration.ofSeconds(5);
    private static final long WATCH_MILLIS = 300;
    private static final int PORT_TRIES = 20;
    private static final long PORT_TRY_MILLIS = 50;
    private static final int LOG_LINES = 20;
    private static final double NANOS_PER_SECOND = 1e9;

    private final ClusterDirectory directory;
    private final NodeProcesses processes;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final PrintWriter out;
    private final IntPredicate isFree;
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** Guarded by this: set once, after which no process is started any more. */
    private boolean stopping;

    /** Whether the nodes end with this process, however that ends. */
    private volatile boolean ownsNodes;

    LocalCluster(
            ClusterDirectory directory,
            List<String> nodeCommand,
            Ticker ticker,
            RandomGenerator random,
            PrintWriter out) {
        this(directory, nodeCommand, ticker, random, out, ReadinessProbe::isFree);
    }

    /**
     * As the other, for a test.
     *
     * @param isFree whether a node could listen on a port now
     */
    LocalCluster(
            ClusterDirectory directory,
            List<String> nodeCommand,
            Ticker ticker,
            RandomGenerator random,
            PrintWriter out,
            IntPredicate isFree) {
        this.directory = directory;
        this.processes = new NodeProcesses(directory, nodeCommand, ticker);
        this.ticker = ticker;
        this.random = random;
        this.out = out;
        this.isFree = isFree;
    }

    /** The options of {@code up}; null where one was not set. */
    record Wanted(
            @Nullable Integer nodes,
            @Nullable Integer port,
            @Nullable String heap,
            List<String> nodeOptions,
            boolean clean) {}

    /** Starts all nodes and waits until each is ready. Stops those it started if one fails. */
    void up(Wanted wanted) throws IOException, LocalFailure, InterruptedException {
        long begin = ticker.nanos();
        requireWithoutTls(wanted.nodeOptions());
        ClusterPlan plan = prepare(wanted);
        ownsNodes = true;
        try {
            for (String name : plan.names()) {
                startProcess(plan, name);
            }
            for (String name : plan.names()) {
                await(ReadinessProbe::isReady, plan, name);
            }
        } catch (LocalFailure | IOException e) {
            stopAll();
            ownsNodes = false;
            throw e;
        }
        out.printf(
                "%d %s ready after %.1f s; data in %s%n",
                plan.nodes(),
                plan.nodes() == 1 ? "node is" : "nodes are",
                (ticker.nanos() - begin) / NANOS_PER_SECOND,
                directory.root());
        for (String name : plan.names()) {
            out.println("  " + name + "  " + plan.url(name));
        }
        out.println("Try:");
        out.println("  curl -i -X PUT '" + plan.url("n1") + "/v0/entity?id=hello' -d world");
        out.flush();
    }

    /** It asks the nodes whether they are ready by plain HTTP, and gives all the same options. */
    private static void requireWithoutTls(List<String> nodeOptions) throws LocalFailure {
        for (String option : nodeOptions) {
            if (option.startsWith("--tls-")) {
                throw new LocalFailure(
                        "'up' starts nodes without TLS; ./quorate node takes "
                                + option.split("=", 2)[0]
                                + " (docs/security.md).");
            }
        }
    }

    /** Whether the nodes have to be stopped when this process is terminated. */
    boolean ownsNodes() {
        return ownsNodes;
    }

    /** From now on the nodes outlive this process. */
    void detach() {
        ownsNodes = false;
    }

    private ClusterPlan prepare(Wanted wanted)
            throws IOException, LocalFailure, InterruptedException {
        directory.requireOursOrEmpty();
        Optional<ClusterPlan> before = directory.plan();
        if (before.isPresent()) {
            List<String> running = runningNames(before.get());
            if (!running.isEmpty()) {
                throw new LocalFailure(
                        "A cluster is running in "
                                + directory.root()
                                + " ("
                                + String.join(", ", running)
                                + "); ./quorate down stops it.");
            }
        }
        ClusterPlan plan = plan(wanted, before.orElse(null)).checked();
        requireFreePorts(plan);
        if (before.isPresent() && wanted.clean()) {
            directory.clean(before.get());
        }
        directory.writePlan(plan);
        directory.createSecret(random);
        return plan;
    }

    /**
     * Options that are not set are unchanged, and the number of nodes is fixed while there is data.
     */
    private ClusterPlan plan(Wanted wanted, @Nullable ClusterPlan before) throws LocalFailure {
        if (before == null) {
            return new ClusterPlan(
                    wanted.nodes() == null ? ClusterPlan.DEFAULT_NODES : wanted.nodes(),
                    wanted.port() == null ? ClusterPlan.DEFAULT_FIRST_PORT : wanted.port(),
                    wanted.heap() == null ? ClusterPlan.DEFAULT_HEAP : wanted.heap(),
                    wanted.nodeOptions());
        }
        int nodes = wanted.nodes() == null ? before.nodes() : wanted.nodes();
        if (nodes != before.nodes() && !wanted.clean()) {
            throw new LocalFailure(
                    directory.root()
                            + " holds the data of "
                            + before.nodes()
                            + " nodes, and keys would lie elsewhere among "
                            + nodes
                            + "; start it with --nodes "
                            + before.nodes()
                            + ", or start the others with another --data and copy the entries"
                            + " (docs/moving-data.md); --clean would delete the data.");
        }
        return new ClusterPlan(
                nodes,
                wanted.port() == null ? before.firstPort() : wanted.port(),
                wanted.heap() == null ? before.heap() : wanted.heap(),
                wanted.nodeOptions().isEmpty() && !wanted.clean()
                        ? before.nodeOptions()
                        : wanted.nodeOptions());
    }

    private List<String> runningNames(ClusterPlan plan) throws IOException {
        List<String> running = new ArrayList<>();
        for (String name : plan.names()) {
            if (processes.running(name).isPresent()) {
                running.add(name);
            }
        }
        return running;
    }

    private void requireFreePorts(ClusterPlan plan) throws LocalFailure, InterruptedException {
        for (String name : plan.names()) {
            requireFreePorts(plan, name);
        }
    }

    /** The port of a process that has just ended may take a moment to become free. */
    private boolean isFreeSoon(int port) throws InterruptedException {
        for (int tries = 0; tries < PORT_TRIES; tries++) {
            if (isFree.test(port)) {
                return true;
            }
            var _ = stopped.await(PORT_TRY_MILLIS, TimeUnit.MILLISECONDS);
        }
        return false;
    }

    private void requireFreePorts(ClusterPlan plan, String name)
            throws LocalFailure, InterruptedException {
        int port = plan.port(name);
        if (!isFreeSoon(port)) {
            throw new LocalFailure(
                    "Port "
                            + port
                            + ", which "
                            + name
                            + " would listen on, is in use by "
                            + PortOwner.of(port).orElse("another process")
                            + "; --port names another first port.");
        }
        int peerPort = port + ClusterPlan.PEER_PORT_OFFSET;
        if (!isFreeSoon(peerPort)) {
            throw new LocalFailure(
                    "Port "
                            + peerPort
                            + ", on which "
                            + name
                            + " would listen for its peers, is in use by "
                            + PortOwner.of(peerPort).orElse("another process")
                            + "; --port names another first port.");
        }
    }

    private synchronized void startProcess(ClusterPlan plan, String name) throws IOException {
        if (!stopping) {
            processes.start(plan, name);
        }
    }

    private void await(IntPredicate isThere, ClusterPlan plan, String name)
            throws IOException, LocalFailure, InterruptedException {
        if (!comesInTime(isThere, plan, name)) {
            throw new LocalFailure(
                    name
                            + " was not ready after "
                            + READY_LIMIT.toSeconds()
                            + " seconds; "
                            + lastLog(name));
        }
    }

    private boolean comesInTime(IntPredicate isThere, ClusterPlan plan, String name)
            throws IOException, LocalFailure, InterruptedException {
        long deadline = ticker.nanos() + READY_LIMIT.toNanos();
        while (!isThere.test(plan.port(name))) {
            Optional<ProcessHandle> process = processes.running(name);
            if (process.isEmpty()) {
                throw new LocalFailure(name + " ended before it was ready; " + lastLog(name));
            }
            if (ticker.nanos() - deadline >= 0) {
                return false;
            }
            NodeProcesses.pause(process.get());
        }
        return true;
    }

    private String lastLog(String name) throws IOException {
        StringBuilder text = new StringBuilder();
        text.append("the last it wrote to ").append(directory.log(name)).append(':');
        for (String line : directory.lastLogLines(name, LOG_LINES)) {
            text.append(System.lineSeparator()).append("  ").append(line);
        }
        return text.toString();
    }

    /**
     * Reports nodes that end and nodes that come back, until {@link #stopAll} is called here, or
     * all were stopped from elsewhere.
     */
    void watch() throws IOException, LocalFailure, InterruptedException {
        ClusterPlan plan = requirePlan();
        Map<String, Boolean> wasUp = new HashMap<>();
        plan.names().forEach(name -> wasUp.put(name, true));
        while (!stopped.await(WATCH_MILLIS, TimeUnit.MILLISECONDS)) {
            boolean anyExpected = false;
            for (String name : plan.names()) {
                boolean isUp = processes.running(name).isPresent();
                boolean expected = directory.pid(name).isPresent();
                anyExpected |= expected;
                if (isUp != wasUp.put(name, isUp)) {
                    report(name, isUp, expected);
                }
            }
            if (!anyExpected) {
                out.println("All nodes were stopped.");
                out.flush();
                return;
            }
        }
    }

    private void report(String name, boolean isUp, boolean expected) {
        if (isUp) {
            out.println(name + " is back.");
        } else if (expected) {
            out.println(
                    name
                            + " died (see "
                            + directory.log(name)
                            + "); ./quorate start "
                            + name
                            + " starts it again.");
        } else {
            out.println(name + " was stopped.");
        }
        out.flush();
    }

    /** Stops all nodes gracefully, at the same time. Returns how many ran. */
    int stopAll() throws IOException, LocalFailure, InterruptedException {
        synchronized (this) {
            stopping = true;
        }
        try {
            Optional<ClusterPlan> plan = directory.plan();
            if (plan.isEmpty()) {
                return 0;
            }
            Map<String, ProcessHandle> running = new HashMap<>();
            for (String name : plan.get().names()) {
                Optional<ProcessHandle> process = processes.running(name);
                directory.deletePid(name);
                process.ifPresent(handle -> running.put(name, handle));
            }
            running.values().forEach(ProcessHandle::destroy);
            for (Map.Entry<String, ProcessHandle> entry : running.entrySet()) {
                awaitStopped(entry.getKey(), entry.getValue());
            }
            return running.size();
        } finally {
            stopped.countDown();
        }
    }

    private void awaitStopped(String name, ProcessHandle process) throws InterruptedException {
        if (!processes.awaitExit(process, name, STOP_LIMIT)) {
            out.println(name + " did not stop in time, and was killed.");
            out.flush();
            process.destroyForcibly();
            processes.awaitExit(process, name, KILL_LIMIT);
        }
    }

    /** Stops a cluster that another process started. */
    void down() throws IOException, LocalFailure, InterruptedException {
        int count = stopAll();
        out.println(
                count == 0
                        ? "No cluster is running in " + directory.root() + "."
                        : "Stopped " + count + (count == 1 ? " node." : " nodes."));
        out.flush();
    }

    /** Stops one node gracefully. */
    void stop(String name) throws IOException, LocalFailure, InterruptedException {
        ProcessHandle process = requireRunning(name);
        directory.deletePid(name);
        process.destroy();
        awaitStopped(name, process);
        out.println(name + " is stopped.");
        out.flush();
    }

    /** Kills one node as a crash would. */
    void kill(String name) throws IOException, LocalFailure, InterruptedException {
        ProcessHandle process = requireRunning(name);
        process.destroyForcibly();
        if (!processes.awaitExit(process, name, KILL_LIMIT)) {
            throw new LocalFailure(name + " (process " + process.pid() + ") does not die.");
        }
        out.println(name + " is killed.");
        out.flush();
    }

    /**
     * Starts one node of a cluster that was started before, and waits until it is ready, or serves
     * pages if too few run for it to become ready.
     */
    void start(String name) throws IOException, LocalFailure, InterruptedException {
        ClusterPlan plan = requireNode(name);
        Optional<ProcessHandle> process = processes.running(name);
        if (process.isPresent()) {
            throw new LocalFailure(
                    name + " is already running (process " + process.get().pid() + ").");
        }
        requireFreePorts(plan, name);
        startProcess(plan, name);
        int running = runningNames(plan).size();
        int needed = plan.votersNeeded();
        if (running >= needed && comesInTime(ReadinessProbe::isReady, plan, name)) {
            out.println(name + " is ready at " + plan.url(name));
        } else if (running >= needed) {
            // One that fetches what it has lost may wait for a node that is not there.
            await(ReadinessProbe::isAlive, plan, name);
            out.printf(
                    "%s runs at %s, and is not ready yet: see %<s/readyz.%n", name, plan.url(name));
        } else {
            await(ReadinessProbe::isAlive, plan, name);
            out.printf(
                    "%s runs at %s; it is ready when %d of the nodes run.%n",
                    name, plan.url(name), needed);
        }
        out.flush();
    }

    /** Starts one node and waits until it is ready, which it must become. */
    void startUntilReady(String name) throws IOException, LocalFailure, InterruptedException {
        ClusterPlan plan = requireNode(name);
        requireFreePorts(plan, name);
        startProcess(plan, name);
        await(ReadinessProbe::isReady, plan, name);
    }

    /** The plan of a cluster of which all nodes run. */
    ClusterPlan requireAllRun() throws IOException, LocalFailure {
        ClusterPlan plan = requirePlan();
        List<String> missing = new ArrayList<>(plan.names());
        missing.removeAll(runningNames(plan));
        if (!missing.isEmpty()) {
            throw new LocalFailure(
                    "Not running: %s. Nothing was changed; ./quorate start starts a node."
                            .formatted(String.join(", ", missing)));
        }
        return plan;
    }

    /**
     * Prints what the cluster stores of a key.
     *
     * @param url a node; null for any that runs here
     * @param encodedKey the key, percent-encoded
     */
    void why(NodeAccess access, @Nullable String url, String encodedKey) throws LocalFailure {
        List<String> nodes = new ArrayList<>();
        if (url != null) {
            nodes.add(url);
        } else {
            try {
                ClusterPlan plan = requirePlan();
                runningNames(plan).forEach(name -> nodes.add(plan.url(name)));
            } catch (IOException | LocalFailure e) {
                throw new LocalFailure(String.valueOf(e.getMessage()), WhyRun.NO_ANSWER);
            }
        }
        if (nodes.isEmpty()) {
            throw new LocalFailure(
                    "No cluster is running in " + directory.root() + ".", WhyRun.NO_ANSWER);
        }
        new WhyRun(access, out).run(nodes, encodedKey);
    }

    /** Runs a repair on each node, one node after the other. */
    void repair(NodeAccess access, String... urls)
            throws IOException, LocalFailure, InterruptedException {
        new RepairRun(access, out).run(nodesOrRunning(urls));
    }

    /**
     * Prints the damage that a node cannot heal, and accepts the loss if {@code in} confirms it.
     */
    void acceptLoss(NodeAccess access, BufferedReader in, String... urls)
            throws IOException, LocalFailure, InterruptedException {
        new LossRun(access, out, in).run(nodesOrRunning(urls));
    }

    /** Prints the logs of these nodes, or of all if none is named. See {@link LogRun}. */
    void logs(List<String> names, int lines, BooleanSupplier pause)
            throws IOException, LocalFailure {
        ClusterPlan plan = requirePlan();
        for (String name : names) {
            requireNode(name);
        }
        new LogRun(directory, out).run(names.isEmpty() ? plan.names() : names, lines, pause);
    }

    private List<String> nodesOrRunning(String... urls) throws IOException, LocalFailure {
        List<String> nodes = new ArrayList<>(List.of(urls));
        if (nodes.isEmpty()) {
            ClusterPlan plan = requirePlan();
            runningNames(plan).forEach(name -> nodes.add(plan.url(name)));
            if (nodes.isEmpty()) {
                throw new LocalFailure("No cluster is running in " + directory.root() + ".");
            }
        }
        return nodes;
    }

    private ProcessHandle requireRunning(String name) throws IOException, LocalFailure {
        requireNode(name);
        return processes
                .running(name)
                .orElseThrow(() -> new LocalFailure(name + " is not running."));
    }

    private ClusterPlan requireNode(String name) throws IOException, LocalFailure {
        ClusterPlan plan = requirePlan();
        if (!plan.names().contains(name)) {
            throw new LocalFailure(
                    "There is no node '"
                            + name
                            + "' in "
                            + directory.root()
                            + ": it has "
                            + String.join(", ", plan.names())
                            + ".");
        }
        return plan;
    }

    private ClusterPlan requirePlan() throws IOException, LocalFailure {
        return directory
                .plan()
                .orElseThrow(
                        () ->
                                new LocalFailure(
                                        "There is no cluster in "
                                                + directory.root()
                                                + "; ./quorate up starts one."));
    }
}
