package dev.quorate.router.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waits for changes of keys that are registered at this replica, by the tokens of the keys: a
 * change of another key with the same token is reported, too. Bounded. Thread-safe.
 */
final class KeyWatches {

    static final int MAX = 65_536;

    /** Twice the waits of a node: those that end and those that begin may pass each other. */
    static final int MAX_OF_MEMBER = 16_384;

    /**
     * A registered wait of a member.
     *
     * @param untilNanos when the registration ends, in {@code Ticker.nanos} time
     */
    record Watch(int member, long id, long untilNanos) {}

    // ---- Guarded by this.

    private final Map<Long, List<Watch>> byToken = new HashMap<>();
    private final Map<Integer, Integer> ofMember = new HashMap<>();

    /** Read without the lock. */
    private volatile int size;

    /** Registers a wait, or prolongs it; false if there are too many. */
    synchronized boolean add(long token, Watch watch) {
        remove(token, watch.member(), watch.id());
        if (size == MAX || ofMember.getOrDefault(watch.member(), 0) == MAX_OF_MEMBER) {
            return false;
        }
        byToken.computeIfAbsent(token, none -> new ArrayList<>(1)).add(watch);
        ofMember.merge(watch.member(), 1, Integer::sum);
        size++;
        return true;
    }

    synchronized void remove(long token, int member, long id) {
        byToken.computeIfPresent(
                token,
                (same, all) -> without(all, each -> each.id() == id && each.member() == member));
    }

    /** Removes registrations that have ended. */
    synchronized void expire(long nowNanos) {
        byToken.values()
                .removeIf(all -> without(all, each -> nowNanos - each.untilNanos() >= 0) == null);
    }

    /** Removes the registrations of a token. */
    synchronized List<Watch> take(long token) {
        List<Watch> taken = new ArrayList<>();
        byToken.computeIfPresent(token, (same, all) -> without(all, taken::add));
        return taken;
    }

    /** The rest of the registrations of a token; null if there is none. */
    private synchronized @Nullable List<Watch> without(List<Watch> all, Predicate<Watch> isOver) {
        all.removeIf(
                each -> {
                    boolean isRemoved = isOver.test(each);
                    if (isRemoved) {
                        ofMember.merge(each.member(), -1, (a, b) -> a + b == 0 ? null : a + b);
                        size--;
                    }
                    return isRemoved;
                });
        return all.isEmpty() ? null : all;
    }

    int size() {
        return size;
    }
}
