package dev.quorate.router.runtime;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * A queue of waiters with round-robin over their addresses; each address has its oldest waiter
 * first. Not thread-safe. Waiters must not override {@code equals}.
 */
public final class AddressTurns<W> {

    /** The waiters of each address, the next address first. */
    private final Map<String, SequencedSet<W>> byAddress = new LinkedHashMap<>();

    public boolean isEmpty() {
        return byAddress.isEmpty();
    }

    public void add(String address, W waiter) {
        byAddress.computeIfAbsent(address, _ -> new LinkedHashSet<>()).add(waiter);
    }

    /** Returns false if it is not queued. */
    public boolean remove(String address, W waiter) {
        SequencedSet<W> ofAddress = byAddress.get(address);
        if (ofAddress == null || !ofAddress.remove(waiter)) {
            return false;
        }
        if (ofAddress.isEmpty()) {
            byAddress.remove(address);
        }
        return true;
    }

    public @Nullable W first() {
        return byAddress.isEmpty() ? null : byAddress.values().iterator().next().getFirst();
    }

    /** Removes the first waiter; the next address follows. */
    public void takeFirst() {
        Map.Entry<String, SequencedSet<W>> first = byAddress.entrySet().iterator().next();
        byAddress.remove(first.getKey());
        first.getValue().removeFirst();
        if (!first.getValue().isEmpty()) {
            byAddress.put(first.getKey(), first.getValue());
        }
    }
}
