package dev.quorate.node.handoff;

import dev.quorate.storage.Entry;
import dev.quorate.storage.format.MalformedException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One walk over all hints, page by page: counts the hints of each target, and removes those of
 * members that no longer exist. Pages arrive one at a time, so the fields need no lock.
 */
final class Survey {

    /** The hints on this node's disk. */
    interface Hints {

        /**
         * Reads the next page, after the pause that pacing requires for the bytes of the last one.
         */
        void readNext(byte[] start, long bytes, Survey survey);

        /** Removes a hint without sending it. */
        void drop(Entry hint, Dropped reason);

        /**
         * The survey is over.
         *
         * @param empty whether no hint exists
         */
        void surveyed(boolean empty, long takenBefore);
    }

    private final Hints hints;
    private final Map<String, Target> targets;
    private final long takenBefore;
    private final Map<Target, Long> addedBefore = new HashMap<>();
    private final Map<Target, Long> counted = new HashMap<>();
    private boolean foundAny;

    Survey(Hints hints, Map<String, Target> targets, long takenBefore) {
        this.hints = hints;
        this.targets = targets;
        this.takenBefore = takenBefore;
        for (Target target : targets.values()) {
            addedBefore.put(target, target.added().get());
            counted.put(target, 0L);
        }
    }

    void page(HintReader.Page page) {
        long bytes = 0;
        for (Entry hint : page.hints()) {
            long size = HintCodec.sizeOf(hint);
            bytes += size;
            Target target = targetOf(hint);
            if (target == null) {
                hints.drop(hint, Dropped.TOPOLOGY);
            } else {
                counted.merge(target, size, Long::sum);
            }
        }
        foundAny |= !page.hints().isEmpty();
        byte[] next = page.next();
        if (next != null) {
            hints.readNext(next, bytes, this);
            return;
        }
        counted.forEach(
                (target, size) -> target.counted(size, addedBefore.getOrDefault(target, 0L)));
        hints.surveyed(!foundAny, takenBefore);
    }

    private @Nullable Target targetOf(Entry hint) {
        try {
            return targets.get(HintCodec.target(hint.key()));
        } catch (MalformedException e) {
            return null;
        }
    }

    void unavailable() {
        hints.surveyed(false, takenBefore);
    }

    /** Why a hint was not stored or not sent, and the write is left to repair. */
    enum Dropped {
        /** The limit of hints for the replica is reached, or the write is too large. */
        LIMIT,
        /** It is older than the window. */
        AGE,
        /** Disk or memory is full, or the disk is too slow. */
        ROOM,
        /** The member does not own the key in the current topology. */
        TOPOLOGY,
        /** The hint cannot be read. */
        DAMAGE
    }
}
