package dev.quorate.cli.local;

import dev.quorate.router.runtime.Ticker;
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

/** The operations on a local cluster. Each failure is one sentence for the user. */
final class LocalCluster {

    private static final Duration READY_LIMIT = Duration.ofSeconds(60);

    /** Longer than a node's own drain timeout. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(15);

    private static final Duration KILL_LIMIT = Duration.ofSeconds(5);
    private static final int PORT_TRIES = 20;
    private static final String READY = "/readyz";
    private static final String ALIVE = "/livez";

    private final ClusterDirectory directory;
    private final NodeProcesses processes;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final PrintWriter out;
    private final IntPredicate isFree;
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** Whether no more processes are started. Guarded by this. */
    private boolean stopping;

    /** Whether the nodes must be stopped when this process ends. */
    private volatile boolean ownsNodes;

    /**
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

    /** The options of {@code up}; null for options that were not set. */
    record Wanted(
            @Nullable Integer nodes,
            @Nullable Integer port,
            @Nullable String heap,
            List<String> nodeOptions,
            boolean clean) {}

    /** Starts all nodes and waits until each is ready. Stops all if one fails. */
    void up(Wanted wanted) throws IOException, InterruptedException {
        long begin = ticker.nanos();
        requireWithoutTls(wanted.nodeOptions());
        ClusterPlan plan = prepare(wanted);
        List<String> founding = directory.hasData(plan) ? List.of() : List.of("--founding=new");
        ownsNodes = true;
        try {
            for (String name : plan.names()) {
                startProcess(plan, name, founding);
            }
            for (String name : plan.names()) {
                await(READY, plan, name);
            }
        } catch (IOException e) {
            stopAll();
            ownsNodes = false;
            throw e;
        }
        print(
                "%d %s ready after %.1f s; data in %s",
                plan.nodes(),
                plan.nodes() == 1 ? "node is" : "nodes are",
                (ticker.nanos() - begin) / 1e9,
                directory.root());
        for (String name : plan.names()) {
            print("  %s  %s", name, plan.url(name));
        }
        print("Try:%n  curl -i -X PUT '%s/v0/entity?id=hello' -d world", plan.url("n1"));
    }

    /** Refuses TLS: readiness is polled by plain HTTP, and all nodes get the same options. */
    private static void requireWithoutTls(List<String> nodeOptions) throws LocalFailure {
        for (String option : nodeOptions) {
            if (option.startsWith("--tls-")) {
                throw new LocalFailure(
                        "'up' starts nodes without TLS; ./quorate node takes %s (docs/security.md)."
                                .formatted(option.split("=", 2)[0]));
            }
        }
    }

    boolean ownsNodes() {
        return ownsNodes;
    }

    /** Lets the nodes continue to run after the end of this process. */
    void detach() {
        ownsNodes = false;
    }

    private ClusterPlan prepare(Wanted wanted) throws IOException, InterruptedException {
        directory.requireOursOrEmpty();
        Optional<ClusterPlan> before = directory.plan();
        if (before.isPresent()) {
            List<String> running = processes.runningNames(before.get());
            if (!running.isEmpty()) {
                throw new LocalFailure(
                        "A cluster is running in %s (%s); ./quorate down stops it."
                                .formatted(directory.root(), String.join(", ", running)));
            }
        }
        ClusterPlan plan = plan(wanted, before).checked();
        for (String name : plan.names()) {
            requireFreePorts(plan, name);
        }
        if (before.isPresent() && wanted.clean()) {
            directory.clean(before.get());
        }
        directory.writePlan(plan);
        directory.createSecret(random);
        return plan;
    }

    /** Keeps options that are not set. The number of nodes cannot change while there is data. */
    private ClusterPlan plan(Wanted wanted, Optional<ClusterPlan> before) throws LocalFailure {
        ClusterPlan unchanged = before.orElse(ClusterPlan.DEFAULT);
        int nodes = wanted.nodes() == null ? unchanged.nodes() : wanted.nodes();
        if (before.isPresent() && nodes != unchanged.nodes() && !wanted.clean()) {
            throw new LocalFailure(
                    ("%s contains the data of %d nodes, and %d nodes would place keys differently."
                                    + " Start it with --nodes %2$d, or start a cluster with another --data"
                                    + " and copy the entries (docs/moving-data.md). --clean deletes the data.")
                            .formatted(directory.root(), unchanged.nodes(), nodes));
        }
        return new ClusterPlan(
                nodes,
                wanted.port() == null ? unchanged.firstPort() : wanted.port(),
                wanted.heap() == null ? unchanged.heap() : wanted.heap(),
                wanted.nodeOptions().isEmpty() && !wanted.clean()
                        ? unchanged.nodeOptions()
                        : wanted.nodeOptions());
    }

    /** The port of a process that has just ended may take a moment to become free. */
    private boolean isFreeSoon(int port) throws InterruptedException {
        for (int tries = 0; tries < PORT_TRIES; tries++) {
            if (isFree.test(port)) {
                return true;
            }
            var _ = stopped.await(50, TimeUnit.MILLISECONDS);
        }
        return false;
    }

    private void requireFreePorts(ClusterPlan plan, String name)
            throws LocalFailure, InterruptedException {
        int port = plan.port(name);
        requireFreePort(port, "which " + name + " would listen on");
        requireFreePort(
                port + ClusterPlan.PEER_PORT_OFFSET,
                "on which " + name + " would listen for its peers");
    }

    private void requireFreePort(int port, String use) throws LocalFailure, InterruptedException {
        if (!isFreeSoon(port)) {
            throw new LocalFailure(
                    "Port %d, %s, is in use by %s; --port names another first port."
                            .formatted(port, use, PortOwner.of(port).orElse("another process")));
        }
    }

    private synchronized void startProcess(ClusterPlan plan, String name, List<String> ownOptions)
            throws IOException {
        if (!stopping) {
            processes.start(plan, name, ownOptions);
        }
    }

    private void await(String page, ClusterPlan plan, String name)
            throws IOException, InterruptedException {
        if (!awaitReady(page, plan, name)) {
            throw new LocalFailure(
                    "%s was not ready after %d seconds; %s"
                            .formatted(name, READY_LIMIT.toSeconds(), lastLog(name)));
        }
    }

    private boolean awaitReady(String page, ClusterPlan plan, String name)
            throws IOException, InterruptedException {
        long deadline = ticker.nanos() + READY_LIMIT.toNanos();
        while (!NodeProcesses.isOk(plan.port(name), page)) {
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
        List<String> lines = new ArrayList<>(directory.lastLogLines(name, 20));
        lines.addFirst("the last it wrote to " + directory.log(name) + ":");
        return String.join(System.lineSeparator() + "  ", lines);
    }

    /**
     * Reports nodes that end and nodes that return, until {@link #stopAll} is called, or another
     * process has stopped all nodes.
     */
    void watch() throws IOException, InterruptedException {
        ClusterPlan plan = requirePlan();
        Map<String, Boolean> wasUp = new HashMap<>();
        plan.names().forEach(name -> wasUp.put(name, true));
        while (!stopped.await(300, TimeUnit.MILLISECONDS)) {
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
                print("All nodes were stopped.");
                return;
            }
        }
    }

    private void report(String name, boolean isUp, boolean expected) {
        if (isUp) {
            print("%s is back.", name);
        } else if (expected) {
            print(
                    "%s died (see %s); ./quorate start %1$s starts it again.",
                    name, directory.log(name));
        } else {
            print("%s was stopped.", name);
        }
    }

    private void print(String format, Object... values) {
        out.printf(format + "%n", values);
        out.flush();
    }

    /** Stops all nodes gracefully, in parallel. Returns the number of nodes that ran. */
    int stopAll() throws IOException, InterruptedException {
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
            print("%s did not stop in time, and was killed.", name);
            process.destroyForcibly();
            processes.awaitExit(process, name, KILL_LIMIT);
        }
    }

    /** Stops a cluster that another process started. */
    void down() throws IOException, InterruptedException {
        int count = stopAll();
        if (count == 0) {
            print("No cluster is running in %s.", directory.root());
        } else {
            print("Stopped %d %s.", count, count == 1 ? "node" : "nodes");
        }
    }

    void stop(String name) throws IOException, InterruptedException {
        ProcessHandle process = requireRunning(name);
        directory.deletePid(name);
        process.destroy();
        awaitStopped(name, process);
        print("%s is stopped.", name);
    }

    /** Kills one node as a crash would. */
    void kill(String name) throws IOException, InterruptedException {
        ProcessHandle process = requireRunning(name);
        process.destroyForcibly();
        if (!processes.awaitExit(process, name, KILL_LIMIT)) {
            throw new LocalFailure(name + " (process " + process.pid() + ") does not end.");
        }
        print("%s is killed.", name);
    }

    /**
     * Starts one node of an existing cluster and waits until it is ready. If too few nodes run for
     * that, waits only until it serves pages.
     */
    void start(String name) throws IOException, InterruptedException {
        ClusterPlan plan = requireNode(name);
        Optional<ProcessHandle> process = processes.running(name);
        if (process.isPresent()) {
            throw new LocalFailure(
                    name + " is already running (process " + process.get().pid() + ").");
        }
        requireFreePorts(plan, name);
        startProcess(plan, name, List.of());
        int running = processes.runningNames(plan).size();
        int needed = plan.votersNeeded();
        if (running >= needed && awaitReady(READY, plan, name)) {
            print("%s is ready at %s", name, plan.url(name));
        } else if (running >= needed) {
            // A node that fetches lost data may wait for a node that does not run.
            await(ALIVE, plan, name);
            print("%s runs at %s, and is not ready yet: see %<s/readyz.", name, plan.url(name));
        } else {
            await(ALIVE, plan, name);
            print(
                    "%s runs at %s; it is ready when %d of the nodes run.",
                    name, plan.url(name), needed);
        }
    }

    /** Starts one node and waits until it is ready; fails if it does not become ready. */
    void startUntilReady(String name) throws IOException, InterruptedException {
        ClusterPlan plan = requireNode(name);
        requireFreePorts(plan, name);
        startProcess(plan, name, List.of());
        await(READY, plan, name);
    }

    /** The plan; fails unless all nodes run. */
    ClusterPlan requireAllRun() throws IOException {
        ClusterPlan plan = requirePlan();
        List<String> missing = new ArrayList<>(plan.names());
        missing.removeAll(processes.runningNames(plan));
        if (!missing.isEmpty()) {
            throw new LocalFailure(
                    "Not running: %s. Nothing was changed; ./quorate start starts a node."
                            .formatted(String.join(", ", missing)));
        }
        return plan;
    }

    /** Prints the logs of these nodes, or of all if none is named. See {@link LogRun}. */
    void logs(List<String> names, int lines, BooleanSupplier pause) throws IOException {
        ClusterPlan plan = requirePlan();
        for (String name : names) {
            requireNode(name);
        }
        new LogRun(directory, out).run(names.isEmpty() ? plan.names() : names, lines, pause);
    }

    /** The URLs of the running nodes; fails if there are none. */
    List<String> runningUrls() throws IOException {
        ClusterPlan plan = requirePlan();
        List<String> urls = processes.runningNames(plan).stream().map(plan::url).toList();
        if (urls.isEmpty()) {
            throw new LocalFailure("No cluster is running in " + directory.root() + ".");
        }
        return urls;
    }

    private ProcessHandle requireRunning(String name) throws IOException {
        requireNode(name);
        return processes
                .running(name)
                .orElseThrow(() -> new LocalFailure(name + " is not running."));
    }

    private ClusterPlan requireNode(String name) throws IOException {
        ClusterPlan plan = requirePlan();
        if (!plan.names().contains(name)) {
            throw new LocalFailure(
                    "There is no node '%s' in %s: it has %s."
                            .formatted(name, directory.root(), String.join(", ", plan.names())));
        }
        return plan;
    }

    private ClusterPlan requirePlan() throws IOException {
        String none = "There is no cluster in " + directory.root() + "; ./quorate up starts one.";
        return directory.plan().orElseThrow(() -> new LocalFailure(none));
    }
}
