package dev.quorate.node.http;

import dev.quorate.node.runtime.Scheduler;
import dev.quorate.node.runtime.Ticker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The draining of a listener: asks {@link DrainRule} and does what it says. */
final class Drain implements AutoCloseable {

    private final ListenerContext context;
    private final Ticker ticker;
    private final Runnable stopAccepting;
    private final Set<OpenConnection> known;
    private final DrainRule rule;
    private final CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
    private final Scheduler.Cancellable ticks;

    /** Begins. */
    Drain(ListenerContext context, Runnable stopAccepting, Ticker ticker, Scheduler scheduler) {
        this.context = context;
        this.ticker = ticker;
        this.stopAccepting = stopAccepting;
        context.draining = true;
        known = new HashSet<>(context.connections);
        rule = new DrainRule(ticker.nanos());
        ticks = scheduler.every(DrainRule.TICK, this::tick);
    }

    /** Completes when the connections may be closed. */
    CompletableFuture<@Nullable Void> drained() {
        return drained;
    }

    private void tick() {
        long now = ticker.nanos();
        context.sweptAtNanos = now; // Connections note by it when they were used.
        List<DrainRule.Connection> connections = new ArrayList<>();
        for (OpenConnection each : context.connections) {
            connections.add(each.drains(!known.contains(each)));
        }
        switch (rule.next(now, connections)) {
            case WAIT -> {}
            case STOP_ACCEPTING -> stopAccepting.run();
            case CLOSE -> drained.complete(null);
        }
    }

    @Override
    public void close() {
        ticks.cancel();
    }
}
