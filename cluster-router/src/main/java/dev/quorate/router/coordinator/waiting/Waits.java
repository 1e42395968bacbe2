package dev.quorate.router.coordinator.waiting;

import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.coordinator.readwrite.Reads;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.NodeRuntime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The waits of this node's clients for changes of keys or below prefixes (decision 0054).
 * Thread-safe.
 */
public final class Waits {

    /** Maximum number of waits. */
    public static final int MAX = 8_192;

    /** Ticks of the coordinator, of 50 ms each, between two comparisons of the owners. */
    private static final int TICKS = 5;

    private final Wait.Context context;
    private final AtomicLong ids;
    private final Map<Long, Waiting> waits = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean isDraining;

    // ---- Used by tick alone.

    private final Map<String, Long> lives = new HashMap<>();
    private View view;
    private int ticks;

    public Waits(OperationContext context, Reads reads, NodeRuntime runtime) {
        this.view = context.view();
        int self = view.local().member().number();
        this.context = new Wait.Context(context, reads, runtime.scheduler(), self);
        this.ids = new AtomicLong(runtime.random().nextLong());
    }

    /**
     * Begins a wait.
     *
     * @param answer returns what receives the answer; called before each read that may be it
     * @param whenOver called once, before the answer
     * @return ends the wait without an answer, because the client is gone; null if there are too
     *     many waits, or the node drains
     */
    public @Nullable Runnable begin(
            Wait.Asked asked, Supplier<OutcomeCallback> answer, Runnable whenOver) {
        return begin(whenOver, (id, over) -> new Wait(context, id, asked, answer, over));
    }

    /**
     * Begins a wait for a change below a prefix.
     *
     * @param answer receives the positions now; null if the node drains
     */
    public @Nullable Runnable begin(
            PrefixWait.Asked asked, Consumer<@Nullable Positions> answer, Runnable whenOver) {
        return begin(whenOver, (id, over) -> new PrefixWait(context, id, asked, answer, over));
    }

    private @Nullable Runnable begin(
            Runnable whenOver, BiFunction<Long, Runnable, Waiting> newWait) {
        if (isDraining || count.get() >= MAX) {
            return null;
        }
        count.incrementAndGet();
        long id = ids.incrementAndGet();
        Runnable release =
                () -> {
                    waits.remove(id);
                    count.decrementAndGet();
                    whenOver.run();
                };
        Waiting wait = newWait.apply(id, release);
        waits.put(id, wait);
        wait.start();
        if (isDraining) {
            drain();
        }
        return () -> wait.end(null);
    }

    /** Owners report writes. */
    public void changed(List<Long> changed) {
        for (long id : changed) {
            Waiting wait = waits.get(id);
            if (wait != null) {
                wait.changed();
            }
        }
    }

    /** To be called every 50 ms, by one thread at a time: finds owners that were lost or return. */
    public boolean tick() {
        boolean isWaiting = !waits.isEmpty();
        if (isWaiting && ticks++ % TICKS != 0) {
            return true; // Ticks are rare while nothing waits.
        }
        View current = context.operations().view();
        if (current != view) {
            view = current;
            waits.values().forEach(Waiting::changed);
        }
        for (Replica each : current.all()) {
            long life = each.isGivenUp() ? -1 : each.knownLife();
            Long before = lives.put(each.name(), life);
            if (before != null && before != life) {
                waits.values().forEach(wait -> wait.lost(each.name()));
            }
        }
        return isWaiting;
    }

    /** Refuses waits from now on, and answers all. */
    public void drain() {
        isDraining = true;
        var answer = Outcome.Refused.forNow("The node stops. Wait at another one.");
        waits.values().forEach(wait -> wait.end(answer));
    }

    /** Waits that are not over. */
    public int size() {
        return count.get();
    }
}
