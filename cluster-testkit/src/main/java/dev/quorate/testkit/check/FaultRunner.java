package dev.quorate.testkit.check;

import dev.quorate.node.runtime.Ticker;
import dev.quorate.testkit.check.FaultStep.Timed;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Injects the faults of a schedule into a cluster, and checks that all other nodes run. One thread
 * executes all steps in order.
 */
final class FaultRunner {

    private static final long WATCH_MILLIS = 250;

    /** A node may be killed while it starts, but not at every start. */
    private static final int MAX_KILLS_UNREADY = 2;

    private static final long STOP_SECONDS = 20;
    private static final double NANOS_PER_SECOND = 1e9;

    private enum State {
        RUNS,
        PAUSED,
        KILLED
    }

    private final Cluster cluster;
    private final Function<URI, CompletableFuture<Boolean>> readiness;
    private final Ticker ticker;
    private volatile long began;
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().name("faults").daemon().factory());

    // All guarded by this.
    private final Map<String, State> states = new TreeMap<>();
    private final List<Cut> cuts = new ArrayList<>();
    private final Set<String> crowded = new TreeSet<>();

    /** The number of kills of each node since it was last ready. */
    private final Map<String, Integer> killsUnready = new TreeMap<>();

    private final Map<FaultKind, Integer> done = new EnumMap<>(FaultKind.class);
    private final List<String> events = new ArrayList<>();
    private final List<String> troubles = new ArrayList<>();

    /**
     * A runner that is not started.
     *
     * @param readiness whether the node at an address is ready
     */
    FaultRunner(
            Cluster cluster, Function<URI, CompletableFuture<Boolean>> readiness, Ticker ticker) {
        this.cluster = cluster;
        this.readiness = readiness;
        this.ticker = ticker;
        this.began = ticker.nanos();
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        cluster.nodes().forEach(node -> states.put(node, State.RUNS));
    }

    void start(List<Timed> schedule) {
        began = ticker.nanos();
        for (Timed timed : schedule) {
            var _ = thread.schedule(() -> act(timed.step()), timed.millis(), TimeUnit.MILLISECONDS);
        }
        var _ =
                thread.scheduleWithFixedDelay(
                        this::watch, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    }

    private synchronized void act(FaultStep step) {
        try {
            switch (step) {
                case FaultStep.Kill(String node) -> kill(node, step);
                case FaultStep.Start(String node) ->
                        change(step, node, State.KILLED, State.RUNS, "starts");
                case FaultStep.Pause(String node) -> {
                    if (states.get(node) == State.RUNS) {
                        count(FaultKind.PAUSE);
                    }
                    change(step, node, State.RUNS, State.PAUSED, "is paused");
                }
                case FaultStep.Resume(String node) ->
                        change(step, node, State.PAUSED, State.RUNS, "is resumed");
                case FaultStep.Gather(String node) -> {
                    if (crowded.add(node)) {
                        count(FaultKind.STRANGERS);
                        apply(step, "strangers connect to " + node);
                    }
                }
                case FaultStep.Disperse(String node) -> {
                    if (crowded.remove(node)) {
                        apply(step, "the strangers disconnect from " + node);
                    }
                }
                case FaultStep.CutLinks(Cut cut) -> {
                    count(FaultKind.PARTITION);
                    apply(step, "the network is cut: " + cut);
                    cuts.add(cut);
                }
                case FaultStep.HealLinks(Cut cut) -> {
                    if (cuts.remove(cut)) {
                        apply(step, "the network is healed of: " + cut);
                    }
                }
            }
        } catch (IOException e) {
            trouble(step + " failed: " + e.getMessage());
        }
    }

    /** Otherwise nodes of a slow machine would be killed before each could serve. */
    private void kill(String node, FaultStep step) throws IOException {
        State state = Objects.requireNonNull(states.get(node));
        if (state != State.KILLED
                && killsUnready.merge(node, 1, Integer::sum) <= MAX_KILLS_UNREADY) {
            count(FaultKind.KILL);
            String what = state == State.PAUSED ? "is killed while it is paused" : "is killed";
            change(step, node, state, State.KILLED, what);
        }
    }

    private void change(FaultStep step, String node, State from, State to, String what)
            throws IOException {
        if (states.get(node) == from) {
            apply(step, node + " " + what);
            states.put(node, to);
        }
    }

    private void apply(FaultStep step, String what) throws IOException {
        note(what);
        cluster.apply(step);
    }

    private void count(FaultKind kind) {
        done.merge(kind, 1, Integer::sum);
    }

    /** Reports nodes that ended without a fault, and restarts them. */
    private synchronized void watch() {
        for (Map.Entry<String, State> node : states.entrySet()) {
            String name = node.getKey();
            try {
                if (node.getValue() != State.KILLED && !cluster.isRunning(name)) {
                    trouble(name + " ended by itself; " + cluster.logTail(name));
                    cluster.apply(new FaultStep.Start(name));
                }
                if (killsUnready.containsKey(name)) {
                    var _ =
                            readiness
                                    .apply(cluster.url(name))
                                    .thenAccept(isReady -> noteReady(name, isReady));
                }
            } catch (IOException e) {
                trouble(name + " cannot be monitored: " + e.getMessage());
                return;
            }
        }
    }

    private synchronized void noteReady(String node, boolean isReady) {
        if (isReady) {
            killsUnready.remove(node);
        }
    }

    private void note(String what) {
        double seconds = (ticker.nanos() - began) / NANOS_PER_SECOND;
        events.add(String.format(Locale.ROOT, "%8.3f s  %s", seconds, what));
    }

    private void trouble(String what) {
        note(what);
        troubles.add(what);
    }

    /** Stops the schedule and heals all faults. */
    void healAll() throws InterruptedException {
        stop();
        synchronized (this) {
            note("all faults are healed");
            List.copyOf(cuts).forEach(cut -> act(new FaultStep.HealLinks(cut)));
            for (String node : List.copyOf(states.keySet())) {
                act(new FaultStep.Disperse(node));
                act(new FaultStep.Resume(node));
                act(new FaultStep.Start(node));
            }
        }
    }

    /** Stops the schedule. */
    void stop() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
            trouble("a step does not end");
        }
    }

    /** The active faults, for the progress line; empty if there are none. */
    synchronized String now() {
        Stream<String> ofNodes =
                states.entrySet().stream()
                        .filter(node -> node.getValue() != State.RUNS)
                        .map(
                                node ->
                                        node.getKey()
                                                + " "
                                                + node.getValue().name().toLowerCase(Locale.ROOT));
        return Stream.of(
                        ofNodes,
                        cuts.stream().map(cut -> "cut " + cut),
                        crowded.stream().map(node -> "strangers at " + node))
                .flatMap(each -> each)
                .collect(Collectors.joining(", "));
    }

    /** The number of injected faults of each kind. */
    synchronized Map<FaultKind, Integer> done() {
        return new EnumMap<>(done);
    }

    /** The steps that were executed, each with its time. */
    synchronized List<String> events() {
        return List.copyOf(events);
    }

    /** Failures that no injected fault explains. */
    synchronized List<String> troubles() {
        return List.copyOf(troubles);
    }
}
