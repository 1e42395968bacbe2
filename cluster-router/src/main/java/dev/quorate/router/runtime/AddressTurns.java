package dev.quorate.router.runtime;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * What waits, by the address for which it waits: the addresses take turns, and each has its oldest
 * one first. Not thread-safe. The elements are compared by identity.
 */
public final class AddressTurns<W> {

    /** The next address first. */
    private final Map<String, SequencedSet<W>> byAddress = new LinkedHashMap<>();

    public boolean isEmpty() {
        return byAddress.isEmpty();
    }

    public void add(String address, W waiter) {
        byAddress.computeIfAbsent(address, _ -> new LinkedHashSet<>()).add(waiter);
    }

    /** False if it does not wait. */
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

    /** Removes the first; the next address follows. */
    public void takeFirst() {
        Map.Entry<String, SequencedSet<W>> first = byAddress.entrySet().iterator().next();
        byAddress.remove(first.getKey());
        first.getValue().removeFirst();
        if (!first.getValue().isEmpty()) {
            byAddress.put(first.getKey(), first.getValue());
        }
    }
}
