package dev.quorate.router.replica;

import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Topology;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests in progress of each epoch. A replica that is compared has first stored what
 * it took in earlier epochs (decision 0052).
 */
final class EpochCounts {

    private final LiveTopology live;
    private final Map<Topology, AtomicInteger> active = new ConcurrentHashMap<>();

    EpochCounts(LiveTopology live) {
        this.live = live;
    }

    /**
     * Begins a request, unless this node is in another epoch now.
     *
     * @param planned the topology of the request; null if it depends on none
     */
    boolean begin(@Nullable Topology planned) {
        if (planned == null) {
            return true;
        }
        active.computeIfAbsent(planned, none -> new AtomicInteger()).incrementAndGet();
        // Counted before the check, so that a comparison in the next epoch sees this request.
        if (live.current().equals(planned)) {
            return true;
        }
        end(planned);
        return false;
    }

    void end(@Nullable Topology planned) {
        AtomicInteger count = planned == null ? null : active.get(planned);
        if (planned != null
                && count != null
                && count.decrementAndGet() == 0
                && !live.current().equals(planned)) {
            active.remove(planned); // no other request of that epoch begins
        }
    }

    /** Whether a request of an earlier epoch is in progress. */
    boolean isBehind() {
        Topology current = live.current();
        return active.entrySet().stream()
                .anyMatch(each -> each.getValue().get() > 0 && !each.getKey().equals(current));
    }
}
