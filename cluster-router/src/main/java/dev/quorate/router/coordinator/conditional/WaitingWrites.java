package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.conditional.Current;
import dev.quorate.router.coordinator.operation.OwnedKey;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The conditional writes of each key that wait for their turn in this node. Most fail, because the
 * write before them replaces the version that they name. They are refused as soon as that is known,
 * without a turn.
 *
 * <p>A queued write may be refused because of any version that was current since it arrived. That
 * includes the version of the write before it, if no client can have seen that version earlier: the
 * queued write arrived before the proposal, or a read since then found an older version. One read
 * at a time finds that out, for all writes of a key that arrived after the proposal.
 *
 * <p>Only a few refused writes are answered at a time: most clients read and retry, and only one
 * retry can succeed. The others are held. Each further write of the key releases a few of them,
 * which are answered with the entry that it made. If no write follows, each release is twice as
 * large.
 */
final class WaitingWrites {

    interface Waiting {

        QuorumSpec spec();

        /**
         * Refuses the write if its condition does not hold for {@code current}, and its turn has
         * not come. It is answered later.
         *
         * @param current the key's entry, as of some moment since the write arrived
         * @return whether the write is refused
         */
        boolean refuse(Current current);

        /** Answers the write, which was refused. */
        void answer();
    }

    /**
     * Reads a key at a majority, and passes on its entry as of the moment when the read began; null
     * if that is not known.
     */
    @FunctionalInterface
    interface Reader {
        void read(byte[] key, QuorumSpec spec, Consumer<@Nullable Current> found);
    }

    /** How many refused writes are answered at once. */
    static final int RELEASED = 2;

    private static final int MOST_RELEASED = 1_024;

    /**
     * Bounds of the time for which held writes wait for another write, which is twice the time
     * between the last two writes.
     */
    static final Duration SHORTEST_PAUSE = Duration.ofMillis(20);

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    /** The writes that wait for one key. Guarded by the map. */
    private static final class Waiters {

        /** In the order of arrival. */
        private final Set<Waiting> waiting = new LinkedHashSet<>();

        /** By write: the version that a read has found since the write arrived. */
        private final Map<Waiting, Timestamp> seen = new HashMap<>();

        /** Writes that arrived before the current proposal. */
        private Set<Waiting> early = Set.of();

        /** Writes that are refused and not answered yet. */
        private final Set<Waiting> held = new LinkedHashSet<>();

        /** How many to release after the next pause. */
        private int next = RELEASED;

        /** The newest version because of which writes were refused. */
        private Timestamp newest = Timestamp.ZERO;

        private long releases;
        private long endedNanos;
        private Duration pause = SHORTEST_PAUSE;
        private boolean isProposed;
        private boolean isReading;
        private boolean isPausing;

        private void paceBy(long nowNanos) {
            Duration twice = Duration.ofNanos(2 * (nowNanos - endedNanos));
            endedNanos = nowNanos;
            pause =
                    twice.compareTo(LONGEST_PAUSE) > 0
                            ? LONGEST_PAUSE
                            : twice.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : twice;
        }
    }

    /** Guarded by this. */
    private final Map<OwnedKey, Waiters> byKey = new HashMap<>();

    private final Reader reader;
    private final Ticker ticker;
    private final Scheduler scheduler;

    WaitingWrites(Reader reader, Ticker ticker, Scheduler scheduler) {
        this.reader = reader;
        this.ticker = ticker;
        this.scheduler = scheduler;
    }

    void add(OwnedKey key, Waiting write) {
        synchronized (this) {
            byKey.computeIfAbsent(key, any -> new Waiters()).waiting.add(write);
        }
        readIfNeeded(key);
    }

    /** Removes a write: its turn has come, or it is over. */
    synchronized void remove(OwnedKey key, Waiting write) {
        Waiters waiters = byKey.get(key);
        if (waiters != null) {
            waiters.waiting.remove(write);
            waiters.seen.remove(write);
            waiters.held.remove(write);
            removeIfIdle(key, waiters);
        }
    }

    private void removeIfIdle(OwnedKey key, Waiters waiters) {
        if (waiters.waiting.isEmpty() && !waiters.isProposed && !waiters.isReading) {
            byKey.remove(key);
        }
    }

    /** A value is about to be proposed: no client has seen it yet. */
    synchronized void proposing(OwnedKey key) {
        Waiters waiters = byKey.computeIfAbsent(key, any -> new Waiters());
        waiters.isProposed = true;
        waiters.early = Set.copyOf(waiters.waiting);
    }

    /**
     * The write that has proposed is over.
     *
     * @param made the entry that it made; null if that is not known
     */
    void ended(OwnedKey key, @Nullable Current made) {
        List<Waiting> overtaken = new ArrayList<>();
        synchronized (this) {
            Waiters waiters = byKey.get(key);
            if (waiters == null || !waiters.isProposed) {
                return;
            }
            if (made != null) {
                waiters.paceBy(ticker.nanos());
                for (Waiting write : waiters.waiting) {
                    Timestamp version = waiters.seen.get(write);
                    boolean hasSeenOlder = version != null && made.version().isAfter(version);
                    if (hasSeenOlder || waiters.early.contains(write)) {
                        overtaken.add(write);
                    }
                }
            }
            waiters.isProposed = false;
            waiters.early = Set.of();
            removeIfIdle(key, waiters);
        }
        if (made != null) {
            refuse(key, overtaken, made);
        }
    }

    /** The writes that wait now: a read from now on finds an entry current since they arrived. */
    synchronized List<Waiting> now(OwnedKey key, QuorumSpec spec) {
        Waiters waiters = byKey.get(key);
        return waiters == null
                ? List.of()
                : waiters.waiting.stream().filter(each -> each.spec().equals(spec)).toList();
    }

    /**
     * Refuses the writes whose condition does not hold for {@code current}.
     *
     * @param writes in the order of arrival
     * @param current the key's entry at some moment since they arrived
     */
    void refuse(OwnedKey key, List<Waiting> writes, Current current) {
        List<Waiting> released;
        synchronized (this) {
            Waiters waiters = byKey.get(key);
            if (waiters == null) {
                return;
            }
            for (Waiting write : writes) {
                if (waiters.waiting.contains(write) && write.refuse(current)) {
                    waiters.held.add(write);
                }
            }
            if (current.version().isAfter(waiters.newest)) {
                waiters.newest = current.version();
                waiters.next = RELEASED;
                released = released(key, waiters);
            } else {
                released = List.of();
                pause(key, waiters);
            }
        }
        released.forEach(Waiting::answer);
    }

    /** Removes the first held writes, and returns them. */
    private List<Waiting> released(OwnedKey key, Waiters waiters) {
        List<Waiting> released = waiters.held.stream().limit(waiters.next).toList();
        released.forEach(waiters.held::remove);
        waiters.releases++;
        if (waiters.held.isEmpty()) {
            waiters.next = RELEASED;
        }
        pause(key, waiters);
        return released;
    }

    private void pause(OwnedKey key, Waiters waiters) {
        if (!waiters.held.isEmpty() && !waiters.isPausing) {
            waiters.isPausing = true;
            long last = waiters.releases;
            scheduler.after(waiters.pause, () -> releaseAfter(last, key));
        }
    }

    /**
     * Releases held writes: twice as many as before, unless a write has released some meanwhile.
     *
     * @param last the number of the last release before the pause
     */
    private void releaseAfter(long last, OwnedKey key) {
        List<Waiting> released;
        synchronized (this) {
            Waiters waiters = byKey.get(key);
            if (waiters == null) {
                return;
            }
            waiters.isPausing = false;
            boolean hasReleased = waiters.releases != last;
            waiters.next = hasReleased ? RELEASED : Math.min(2 * waiters.next, MOST_RELEASED);
            released = released(key, waiters);
        }
        released.forEach(Waiting::answer);
    }

    /** How many keys have waiting writes, a proposal or a read. */
    synchronized int keys() {
        return byKey.size();
    }

    /** Reads for writes that arrived after the proposal, unless another read is in progress. */
    private void readIfNeeded(OwnedKey key) {
        List<Waiting> unknown;
        synchronized (this) {
            Waiters waiters = byKey.get(key);
            if (waiters == null || !waiters.isProposed || waiters.isReading) {
                return;
            }
            Set<Waiting> late = new LinkedHashSet<>(waiters.waiting);
            waiters.early.forEach(late::remove);
            late.removeAll(waiters.seen.keySet());
            if (late.isEmpty()) {
                return;
            }
            QuorumSpec spec = late.iterator().next().spec();
            unknown = late.stream().filter(each -> each.spec().equals(spec)).toList();
            waiters.isReading = true;
        }
        reader.read(
                key.key(), unknown.getFirst().spec(), current -> wasRead(key, unknown, current));
    }

    private void wasRead(OwnedKey key, List<Waiting> unknown, @Nullable Current current) {
        synchronized (this) {
            Waiters waiters = byKey.get(key);
            if (waiters != null) {
                waiters.isReading = false;
                if (current != null) {
                    unknown.stream()
                            .filter(waiters.waiting::contains)
                            .forEach(each -> waiters.seen.put(each, current.version()));
                }
                removeIfIdle(key, waiters);
            }
        }
        if (current != null) {
            refuse(key, unknown, current);
            readIfNeeded(key);
        }
    }
}
