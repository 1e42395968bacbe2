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

    /** Part of the answer of a node that is not ready because it is not a member any more. */
    private static final String REMOVED = "it was removed from the cluster";

    private final ClusterDirectory directory;
    private final NodeProcesses processes;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final PrintWriter out;
    private final IntPredicate isFree;
    private final long beginNanos;
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
        this.beginNanos = ticker.nanos();
    }

    /** The options of {@code up}; null for options that were not set. */
    record Wanted(
            @Nullable Integer nodes,
            @Nullable Integer port,
            @Nullable String heap,
            List<String> nodeOptions,
            boolean clean) {

        /** Whether only the number of nodes can differ from that of a plan. */
        boolean keeps(ClusterPlan plan) {
            return !clean
                    && (port == null || port == plan.firstPort())
                    && (heap == null || heap.equals(plan.heap()))
                    && (nodeOptions.isEmpty() || nodeOptions.equals(plan.nodeOptions()));
        }
    }

    /** Starts all nodes and waits until each is ready. Stops all if one fails. */
    void up(Wanted wanted) throws IOException, InterruptedException {
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
        printReady(requirePlan());
    }

    private void printReady(ClusterPlan plan) {
        print(
                "%d %s ready after %.1f s; data in %s",
                plan.size(),
                plan.size() == 1 ? "node is" : "nodes are",
                (ticker.nanos() - beginNanos) / 1e9,
                directory.root());
        for (String name : plan.names()) {
            print("  %s  %s", name, plan.url(name));
        }
        print(
                "Try:%n  curl -i -X PUT '%s/v0/entity?id=hello' -d world",
                plan.url(plan.names().getFirst()));
    }

    /** Starts nodes of a larger plan, unless they run, and waits until they answer. */
    void startMore(ClusterPlan grown, List<String> names) throws IOException, InterruptedException {
        List<String> running = processes.runningNames(grown);
        for (String name : names) {
            if (!running.contains(name)) {
                requireFreePorts(grown, name);
                startProcess(grown, name, List.of());
            }
        }
        for (String name : names) {
            await(ALIVE, grown, name);
        }
    }

    /** Stops nodes that are not members, and deletes their files. */
    void withdraw(ClusterPlan plan, List<String> names) throws IOException, InterruptedException {
        for (String name : names) {
            Optional<ProcessHandle> process = processes.running(name);
            if (process.isPresent()) {
                process.get().destroy();
                awaitStopped(name, process.get());
            }
            directory.clean(name);
        }
        directory.writePlan(plan);
    }

    void record(ClusterPlan grown) throws IOException {
        directory.writePlan(grown);
    }

    /** Waits until nodes that have joined are ready. */
    void awaitJoined(ClusterPlan grown, List<String> names)
            throws IOException, InterruptedException {
        for (String name : names) {
            await(READY, grown, name);
        }
        printReady(grown);
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

    boolean isRunning() throws IOException {
        Optional<ClusterPlan> plan = directory.plan();
        return plan.isPresent() && !processes.runningNames(plan.get()).isEmpty();
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

    /** Keeps options that are not set. Only a running cluster with data gets other members. */
    private ClusterPlan plan(Wanted wanted, Optional<ClusterPlan> before) throws LocalFailure {
        ClusterPlan unchanged = before.orElse(ClusterPlan.DEFAULT);
        int size = wanted.nodes() == null ? unchanged.size() : wanted.nodes();
        boolean isNew = before.isEmpty() || wanted.clean();
        if (!isNew && size != unchanged.size()) {
            throw new LocalFailure(
                    ("%s contains the data of %d nodes. Start it with --nodes %2$d --detach; then"
                                    + " ./quorate up --nodes N adds nodes, and ./quorate member"
                                    + " remove removes members. --clean deletes the data.")
                            .formatted(directory.root(), unchanged.size()));
        }
        return new ClusterPlan(
                isNew ? size : unchanged.nodes(),
                wanted.port() == null ? unchanged.firstPort() : wanted.port(),
                wanted.heap() == null ? unchanged.heap() : wanted.heap(),
                wanted.nodeOptions().isEmpty() && !wanted.clean()
                        ? unchanged.nodeOptions()
                        : wanted.nodeOptions(),
                isNew ? List.of() : unchanged.removed());
    }

    private void requireFreePorts(ClusterPlan plan, String name)
            throws LocalFailure, InterruptedException {
        int port = plan.port(name);
        requireFree(port, "which " + name + " would listen on");
        requireFree(
                port + ClusterPlan.PEER_PORT_OFFSET,
                "on which " + name + " would listen for its peers");
    }

    /** The port of a process that has just ended may take a moment to become free. */
    private void requireFree(int port, String use) throws LocalFailure, InterruptedException {
        for (int tries = 0; !isFree.test(port); tries++) {
            if (tries == PORT_TRIES) {
                throw new LocalFailure(
                        "Port %d, %s, is in use by %s; --port names another first port."
                                .formatted(
                                        port, use, PortOwner.of(port).orElse("another process")));
            }
            NodeProcesses.pause(50);
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

    /** False if it is not ready in time. Stops a node that is not a member any more. */
    private boolean awaitReady(String page, ClusterPlan plan, String name)
            throws IOException, InterruptedException {
        long deadline = ticker.nanos() + READY_LIMIT.toNanos();
        while (!NodeProcesses.isOk(plan.port(name), page)) {
            if (isRemoved(plan, name)) {
                stop(name);
                return true;
            }
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
            Map<String, ProcessHandle> running = new HashMap<>();
            for (String name : directory.started()) {
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
        ClusterPlan plan = requirePlan();
        boolean isRemoved = isRemoved(plan, name);
        directory.deletePid(name);
        process.destroy();
        awaitStopped(name, process);
        if (isRemoved) {
            directory.writePlan(plan.without(name));
        }
        print(
                isRemoved
                        ? "%s is stopped. It was removed from the cluster, and is not started again."
                        : "%s is stopped.",
                name);
    }

    /** Whether a running node says that it is not a member any more. */
    boolean isRemoved(ClusterPlan plan, String name) {
        return NodeProcesses.answer(plan.port(name), READY).contains(REMOVED);
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
            if (processes.running(name).isPresent()) {
                print("%s is ready at %s", name, plan.url(name));
            }
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
