package dev.quorate.node.handoff;

import dev.quorate.storage.Entry;
import dev.quorate.storage.format.MalformedException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One walk over all hints, page by page: counts the hints of each target, and removes those of
 * members that no longer exist. Its pages come one after the other, so its fields need no lock.
 */
final class Survey {

    /** The hints on this node's disk. */
    interface Hints {

        /**
         * Reads the next page, after the pause that pacing requires for the bytes of the last one.
         */
        void readNext(byte[] start, long bytes, Survey survey);

        /** Removes a hint that is not to be sent. */
        void drop(Entry hint, Dropped reason);

        /**
         * The survey is over.
         *
         * @param empty whether there is no hint at all
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
        /** There is no room on disk or in memory, or the disk is too slow. */
        ROOM,
        /** By the current topology, the member does not own the key. */
        TOPOLOGY,
        /** The hint cannot be read. */
        DAMAGE
    }
}
