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
    private static final class Line {

        private final Set<Waiting> waiting = new LinkedHashSet<>();

        /** The version that each has found there since it came. */
        private final Map<Waiting, Timestamp> seen = new HashMap<>();

        /** Those that came before the value under way was proposed. */
        private List<Waiting> early = List.of();

        private boolean isProposed;
        private boolean isReading;
    }

    private final Map<ByteBuffer, Line> lines = new HashMap<>();
    private final Reader reader;

    WaitingWrites(Reader reader) {
        this.reader = reader;
    }

    void add(byte[] key, Waiting write) {
        synchronized (lines) {
            lines.computeIfAbsent(ByteBuffer.wrap(key), any -> new Line()).waiting.add(write);
        }
        readIfNeeded(key);
    }

    /** Its turn has come, or its time is over. */
    void remove(byte[] key, Waiting write) {
        synchronized (lines) {
            Line line = lines.get(ByteBuffer.wrap(key));
            if (line != null) {
                line.waiting.remove(write);
                line.seen.remove(write);
                removeIfIdle(key, line);
            }
        }
    }

    private void removeIfIdle(byte[] key, Line line) {
        if (line.waiting.isEmpty() && !line.isProposed && !line.isReading) {
            lines.remove(ByteBuffer.wrap(key));
        }
    }

    /** A value is about to be proposed: nobody has seen it yet. */
    void proposing(byte[] key) {
        synchronized (lines) {
            Line line = lines.computeIfAbsent(ByteBuffer.wrap(key), any -> new Line());
            line.isProposed = true;
            line.early = List.copyOf(line.waiting);
        }
    }

    /**
     * The write that has proposed is over.
     *
     * @param made what it made; null if that is not known
     */
    void ended(byte[] key, @Nullable Current made) {
        List<Waiting> overtaken = new ArrayList<>();
        synchronized (lines) {
            Line line = lines.get(ByteBuffer.wrap(key));
            if (line == null || !line.isProposed) {
                return;
            }
            if (made != null) {
                overtaken.addAll(line.early);
                line.seen.forEach(
                        (write, version) -> {
                            if (made.version().isAfter(version)) {
                                overtaken.add(write);
                            }
                        });
            }
            line.isProposed = false;
            line.early = List.of();
            removeIfIdle(key, line);
        }
        if (made != null) {
            overtaken.forEach(write -> write.judge(made));
        }
    }

    /** Those that wait now: what a read finds that begins now, was there since they came. */
    List<Waiting> now(byte[] key, QuorumSpec spec) {
        synchronized (lines) {
            Line line = lines.get(ByteBuffer.wrap(key));
            return line == null
                    ? List.of()
                    : line.waiting.stream().filter(each -> each.spec().equals(spec)).toList();
        }
    }

    /** How many keys have any. */
    int keys() {
        synchronized (lines) {
            return lines.size();
        }
    }

    /** Reads for those that came after the proposal, unless a read for others is under way. */
    private void readIfNeeded(byte[] key) {
        List<Waiting> unknown;
        synchronized (lines) {
            Line line = lines.get(ByteBuffer.wrap(key));
            if (line == null || !line.isProposed || line.isReading) {
                return;
            }
            Set<Waiting> late = new LinkedHashSet<>(line.waiting);
            line.early.forEach(late::remove);
            late.removeAll(line.seen.keySet());
            if (late.isEmpty()) {
                return;
            }
            QuorumSpec spec = late.iterator().next().spec();
            unknown = late.stream().filter(each -> each.spec().equals(spec)).toList();
            line.isReading = true;
        }
        reader.read(key, unknown.getFirst().spec(), current -> wasRead(key, unknown, current));
    }

    private void wasRead(byte[] key, List<Waiting> unknown, @Nullable Current current) {
        synchronized (lines) {
            Line line = lines.get(ByteBuffer.wrap(key));
            if (line != null) {
                line.isReading = false;
                if (current != null) {
                    unknown.stream()
                            .filter(line.waiting::contains)
                            .forEach(each -> line.seen.put(each, current.version()));
                }
                removeIfIdle(key, line);
            }
        }
        if (current != null) {
            unknown.forEach(each -> each.judge(current));
            readIfNeeded(key);
        }
    }
}
