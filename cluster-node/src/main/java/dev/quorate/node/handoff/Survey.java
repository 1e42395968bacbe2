package dev.quorate.node.handoff;

import dev.quorate.storage.Entry;
import dev.quorate.storage.format.MalformedException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One walk over all hints, page by page: counts what there is for each target, and removes what is
 * for nobody any more. Its pages come one after the other, so nothing guards its fields.
 */
final class Survey {

    private final Handoff handoff;
    private final Map<String, Target> targets;
    private final long takenBefore;
    private final Map<Target, Long> addedBefore = new HashMap<>();
    private final Map<Target, Long> counted = new HashMap<>();
    private boolean foundAny;

    Survey(Handoff handoff, Map<String, Target> targets, long takenBefore) {
        this.handoff = handoff;
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
                handoff.drop(hint, Dropped.TOPOLOGY);
            } else {
                counted.merge(target, size, Long::sum);
            }
        }
        foundAny |= !page.hints().isEmpty();
        byte[] next = page.next();
        if (next != null) {
            handoff.continueAfter(bytes, () -> handoff.readForSurvey(next, this));
            return;
        }
        counted.forEach(
                (target, size) -> target.counted(size, addedBefore.getOrDefault(target, 0L)));
        handoff.surveyed(!foundAny, takenBefore);
    }

    private @Nullable Target targetOf(Entry hint) {
        try {
            return targets.get(HintCodec.target(hint.key()));
        } catch (MalformedException e) {
            return null;
        }
    }

    void unavailable() {
        handoff.surveyed(false, takenBefore);
    }
}
