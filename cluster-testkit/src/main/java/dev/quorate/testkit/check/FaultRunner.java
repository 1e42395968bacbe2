package dev.quorate.testkit.check;

import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Injects the faults of a schedule into a cluster, and monitors that all nodes without a fault run.
 * One thread executes all steps in order.
 */
final class FaultRunner {

    private static final long WATCH_MILLIS = 250;

    /** The maximum number of kills of a node before it is ready again. */
    private static final int MAX_KILLS_UNREADY = 2;

    private final Cluster cluster;
    private final Function<URI, CompletableFuture<Boolean>> readiness;
    private final Ticker ticker;
    private volatile long began;
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().name("faults").daemon().factory());

    // All guarded by this.
    private final Set<Fault> active = new LinkedHashSet<>();

    /** By node: the number of kills since it was last ready. */
    private final Map<String, Integer> killsUnready = new TreeMap<>();

    private final Map<FaultKind, Integer> done = new EnumMap<>(FaultKind.class);
    private final List<String> events = new ArrayList<>();
    private final List<String> troubles = new ArrayList<>();

    FaultRunner(
            Cluster cluster, Function<URI, CompletableFuture<Boolean>> readiness, Ticker ticker) {
        this.cluster = cluster;
        this.readiness = readiness;
        this.ticker = ticker;
        this.began = ticker.nanos();
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    void start(List<Fault.Step> schedule) {
        began = ticker.nanos();
        for (Fault.Step step : schedule) {
            var _ = thread.schedule(() -> act(step), step.millis(), TimeUnit.MILLISECONDS);
        }
        var _ =
                thread.scheduleWithFixedDelay(
                        this::watch, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    }

    private synchronized void act(Fault.Step step) {
        Fault fault = step.fault();
        try {
            if (step.begins() && mayBegin(fault)) {
                done.merge(fault.kind(), 1, Integer::sum);
                Fault pause = new Fault.Pause(fault.place());
                boolean isPaused = fault instanceof Fault.Kill && active.contains(pause);
                String what = isPaused ? "%s is killed while it is paused" : fault.kind().beginning;
                note(what.formatted(fault.place()));
                cluster.apply(fault, true);
                active.add(fault);
                if (isPaused) {
                    active.remove(pause);
                }
            } else if (!step.begins() && active.contains(fault)) {
                note(fault.kind().end.formatted(fault.place()));
                cluster.apply(fault, false);
                active.remove(fault);
            }
        } catch (IOException e) {
            recordFailure(step + " failed: " + e.getMessage());
        }
    }

    /** Limits kills, because a slow machine might otherwise never start a node completely. */
    private boolean mayBegin(Fault fault) {
        return !active.contains(fault)
                && switch (fault) {
                    case Fault.Kill(String node) ->
                            killsUnready.merge(node, 1, Integer::sum) <= MAX_KILLS_UNREADY;
                    case Fault.Pause(String node) -> !active.contains(new Fault.Kill(node));
                    case Fault.Strangers _, Fault.Cut _ -> true;
                };
    }

    /** Records nodes that ended without a fault, and restarts them. */
    private synchronized void watch() {
        for (String name : cluster.nodes()) {
            Fault kill = new Fault.Kill(name);
            try {
                if (!active.contains(kill) && !cluster.isRunning(name)) {
                    recordFailure(name + " ended by itself; " + cluster.logTail(name));
                    cluster.apply(kill, false);
                }
                if (killsUnready.containsKey(name)) {
                    var _ =
                            readiness
                                    .apply(cluster.url(name))
                                    .thenAccept(isReady -> noteReady(name, isReady));
                }
            } catch (IOException e) {
                recordFailure(name + " cannot be monitored: " + e.getMessage());
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
        double seconds = (ticker.nanos() - began) / 1e9;
        events.add(String.format(Locale.ROOT, "%8.3f s  %s", seconds, what));
    }

    private void recordFailure(String what) {
        note(what);
        troubles.add(what);
    }

    void healAll() throws InterruptedException {
        stop();
        synchronized (this) {
            note("all faults are healed");
            List.copyOf(active).forEach(fault -> act(new Fault.Step(0, fault, false)));
        }
    }

    void stop() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(20, TimeUnit.SECONDS)) {
            recordFailure("a step does not end");
        }
    }

    /** The active faults, for the progress line; empty if there are none. */
    synchronized String now() {
        return active.stream()
                .map(fault -> fault.kind().present.formatted(fault.place()))
                .sorted()
                .collect(Collectors.joining(", "));
    }

    synchronized Map<FaultKind, Integer> done() {
        return new EnumMap<>(done);
    }

    synchronized List<String> events() {
        return List.copyOf(events);
    }

    synchronized List<String> failures() {
        return List.copyOf(troubles);
    }
}
