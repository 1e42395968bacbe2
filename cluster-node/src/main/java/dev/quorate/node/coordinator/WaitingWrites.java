package dev.quorate.node.coordinator;

import dev.quorate.node.conditional.Current;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Timestamp;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The conditional writes of each key that wait for their turn in this node. Most wait in vain: the
 * one before them replaces the version that they name. They are answered as soon as that is known.
 *
 * <p>Whoever waits may be answered with what was current at any moment since it came. That is what
 * the write before it made, if nobody can have seen that value when it came: it came before the
 * value was proposed, or a read since then has found an older version. So one read at a time, for
 * all of a key that came after the proposal, keeps that known.
 */
final class WaitingWrites {

    /** A write that waits. */
    interface Waiting {

        QuorumSpec spec();

        /**
         * Answers it if its condition does not hold for what was there at some moment since it
         * came.
         */
        void judge(Current current);
    }

    /** Reads a key at a majority, and takes what it has; null if that is not known. */
    @FunctionalInterface
    interface Reader {
        void read(byte[] key, QuorumSpec spec, Consumer<@Nullable Current> found);
    }

    /** What waits for one key. Guarded by the map. */
    private static final class Waiters {

        private final Set<Waiting> waiting = new LinkedHashSet<>();

        /** The version that each has found there since it came. */
        private final Map<Waiting, Timestamp> seen = new HashMap<>();

        /** Those that came before the value under way was proposed. */
        private List<Waiting> early = List.of();

        private boolean isProposed;
        private boolean isReading;
    }

    private final Map<ByteBuffer, Waiters> byKey = new HashMap<>();
    private final Reader reader;

    WaitingWrites(Reader reader) {
        this.reader = reader;
    }

    void add(byte[] key, Waiting write) {
        synchronized (byKey) {
            byKey.computeIfAbsent(ByteBuffer.wrap(key), any -> new Waiters()).waiting.add(write);
        }
        readIfNeeded(key);
    }

    /** Its turn has come, or its time is over. */
    void remove(byte[] key, Waiting write) {
        synchronized (byKey) {
            Waiters waiters = byKey.get(ByteBuffer.wrap(key));
            if (waiters != null) {
                waiters.waiting.remove(write);
                waiters.seen.remove(write);
                removeIfIdle(key, waiters);
            }
        }
    }

    private void removeIfIdle(byte[] key, Waiters waiters) {
        if (waiters.waiting.isEmpty() && !waiters.isProposed && !waiters.isReading) {
            byKey.remove(ByteBuffer.wrap(key));
        }
    }

    /** A value is about to be proposed: nobody has seen it yet. */
    void proposing(byte[] key) {
        synchronized (byKey) {
            Waiters waiters = byKey.computeIfAbsent(ByteBuffer.wrap(key), any -> new Waiters());
            waiters.isProposed = true;
            waiters.early = List.copyOf(waiters.waiting);
        }
    }

    /**
     * The write that has proposed is over.
     *
     * @param made what it made; null if that is not known
     */
    void ended(byte[] key, @Nullable Current made) {
        List<Waiting> overtaken = new ArrayList<>();
        synchronized (byKey) {
            Waiters waiters = byKey.get(ByteBuffer.wrap(key));
            if (waiters == null || !waiters.isProposed) {
                return;
            }
            if (made != null) {
                overtaken.addAll(waiters.early);
                waiters.seen.forEach(
                        (write, version) -> {
                            if (made.version().isAfter(version)) {
                                overtaken.add(write);
                            }
                        });
            }
            waiters.isProposed = false;
            waiters.early = List.of();
            removeIfIdle(key, waiters);
        }
        if (made != null) {
            overtaken.forEach(write -> write.judge(made));
        }
    }

    /** Those that wait now: what a read finds that begins now, was there since they came. */
    List<Waiting> now(byte[] key, QuorumSpec spec) {
        synchronized (byKey) {
            Waiters waiters = byKey.get(ByteBuffer.wrap(key));
            return waiters == null
                    ? List.of()
                    : waiters.waiting.stream().filter(each -> each.spec().equals(spec)).toList();
        }
    }

    /** How many keys have any. */
    int keys() {
        synchronized (byKey) {
            return byKey.size();
        }
    }

    /** Reads for those that came after the proposal, unless a read for others is under way. */
    private void readIfNeeded(byte[] key) {
        List<Waiting> unknown;
        synchronized (byKey) {
            Waiters waiters = byKey.get(ByteBuffer.wrap(key));
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
        reader.read(key, unknown.getFirst().spec(), current -> wasRead(key, unknown, current));
    }

    private void wasRead(byte[] key, List<Waiting> unknown, @Nullable Current current) {
        synchronized (byKey) {
            Waiters waiters = byKey.get(ByteBuffer.wrap(key));
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
            unknown.forEach(each -> each.judge(current));
            readIfNeeded(key);
        }
    }
}
