package dev.quorate.testkit.check;

import dev.quorate.harness.Cut;
import dev.quorate.node.runtime.Ticker;
import dev.quorate.testkit.check.Step.Timed;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Does to a cluster what the schedule says, and looks whether its nodes run that should. One thread
 * does all of it, one step after the other.
 */
final class Nemesis {

    private static final long WATCH_MILLIS = 250;

    /** So a node is killed while it starts, too, but not every time. */
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
                    1, Thread.ofPlatform().name("nemesis").daemon().factory());

    // All guarded by this.
    private final Map<String, State> states = new TreeMap<>();
    private final List<Cut> cuts = new ArrayList<>();
    private final Map<String, Crowd> crowds = new TreeMap<>();

    /** How often nodes were killed since they were last ready. */
    private final Map<String, Integer> killsUnready = new TreeMap<>();

    private final Map<FaultKind, Integer> done = new EnumMap<>(FaultKind.class);
    private final List<String> story = new ArrayList<>();
    private final List<String> troubles = new ArrayList<>();

    /**
     * One that does nothing yet.
     *
     * @param readiness tells whether the node at an address is ready
     */
    Nemesis(Cluster cluster, Function<URI, CompletableFuture<Boolean>> readiness, Ticker ticker) {
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

    private synchronized void act(Step step) {
        try {
            switch (step) {
                case Step.Kill(String node) -> {
                    // On a slow machine nodes would otherwise be killed for ever, and never serve.
                    if (states.get(node) != State.KILLED
                            && killsUnready.merge(node, 1, Integer::sum) <= MAX_KILLS_UNREADY) {
                        boolean wasPaused = states.get(node) == State.PAUSED;
                        tell(FaultKind.KILL, node + (wasPaused ? ", paused," : "") + " is killed");
                        cluster.kill(node);
                        states.put(node, State.KILLED);
                    }
                }
                case Step.Start(String node) -> {
                    if (states.get(node) == State.KILLED) {
                        tell(node + " starts");
                        cluster.start(node);
                        states.put(node, State.RUNS);
                    }
                }
                case Step.Pause(String node) -> {
                    if (states.get(node) == State.RUNS) {
                        tell(FaultKind.PAUSE, node + " is paused");
                        cluster.pause(node);
                        states.put(node, State.PAUSED);
                    }
                }
                case Step.Resume(String node) -> {
                    if (states.get(node) == State.PAUSED) {
                        tell(node + " goes on");
                        cluster.resume(node);
                        states.put(node, State.RUNS);
                    }
                }
                case Step.Gather(String node) -> {
                    disperse(node);
                    Crowd crowd = cluster.crowd(node);
                    crowds.put(node, crowd);
                    tell(FaultKind.STRANGERS, crowd.size() + " strangers come to " + node);
                }
                case Step.Disperse(String node) -> disperse(node);
                case Step.Sever(Cut cut) -> {
                    tell(FaultKind.PARTITION, "the network is cut: " + cut);
                    cluster.sever(cut);
                    cuts.add(cut);
                }
                case Step.Heal(Cut cut) -> {
                    if (cuts.remove(cut)) {
                        tell("the network is healed of: " + cut);
                        cluster.heal(cut);
                    }
                }
            }
        } catch (IOException e) {
            trouble(step + " failed: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void disperse(String node) {
        Crowd crowd = crowds.remove(node);
        if (crowd != null) {
            tell("the strangers leave " + node);
            crowd.close();
        }
    }

    /** Nodes that end when nothing was done to them are news, and are started again. */
    private synchronized void watch() {
        for (Map.Entry<String, State> node : states.entrySet()) {
            String name = node.getKey();
            try {
                if (node.getValue() != State.KILLED && !cluster.isRunning(name)) {
                    trouble(name + " ended by itself; " + cluster.evidence(name));
                    cluster.start(name);
                }
                if (killsUnready.containsKey(name)) {
                    var _ =
                            readiness
                                    .apply(cluster.url(name))
                                    .thenAccept(isReady -> noteReady(name, isReady));
                }
            } catch (IOException e) {
                trouble(name + " cannot be watched: " + e.getMessage());
                return;
            }
        }
    }

    private synchronized void noteReady(String node, boolean isReady) {
        if (isReady) {
            killsUnready.remove(node);
        }
    }

    private void tell(FaultKind kind, String what) {
        done.merge(kind, 1, Integer::sum);
        tell(what);
    }

    private void tell(String what) {
        double seconds = (ticker.nanos() - began) / NANOS_PER_SECOND;
        story.add(String.format(Locale.ROOT, "%8.3f s  %s", seconds, what));
    }

    private void trouble(String what) {
        tell(what);
        troubles.add(what);
    }

    /** Does nothing any more, and makes everything whole. */
    void makePeace() throws InterruptedException {
        stop();
        synchronized (this) {
            tell("everything is made whole");
            List.copyOf(cuts).forEach(cut -> act(new Step.Heal(cut)));
            for (String node : List.copyOf(states.keySet())) {
                act(new Step.Disperse(node));
                act(new Step.Resume(node));
                act(new Step.Start(node));
            }
        }
    }

    /** Does nothing any more. */
    void stop() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
            trouble("a step takes for ever");
        }
    }

    /** What is broken at the moment, for the progress line; empty if nothing is. */
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
                        crowds.keySet().stream().map(node -> "strangers at " + node))
                .flatMap(each -> each)
                .collect(Collectors.joining(", "));
    }

    /** How many faults there were of each kind. */
    synchronized Map<FaultKind, Integer> done() {
        return new EnumMap<>(done);
    }

    /** What was done, and when. */
    synchronized List<String> story() {
        return List.copyOf(story);
    }

    /** What went wrong that was not done here. */
    synchronized List<String> troubles() {
        return List.copyOf(troubles);
    }
}
