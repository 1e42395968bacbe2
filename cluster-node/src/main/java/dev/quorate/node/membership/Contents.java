package dev.quorate.node.membership;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a data directory, and what they mean. A directory that lacks a part, or whose parts
 * do not belong together, is treated as a lost disk: the missing part may have contained
 * acknowledged writes. The table is in docs/formats/data-directory.md.
 *
 * @param member the file {@code member}; null if it is missing
 * @param topology the file {@code topology}; null if it is missing
 * @param store whether {@code store/} contains a store
 * @param mark the file {@code store/identity}; null if it is missing
 */
record Contents(
        @Nullable MemberRecord member,
        @Nullable TopologyRecord topology,
        boolean store,
        @Nullable StoreMark mark,
        boolean clock,
        boolean gcWatermark,
        boolean generations,
        boolean hints) {

    /** The state of a directory. */
    sealed interface Worth {

        /** It is new, or contains nothing that could have been acknowledged. */
        record New() implements Worth {}

        /** It is complete, unless it is an old copy. */
        record Whole(long store) implements Worth {}

        /** Its recorded standing is {@code REBUILDING}. */
        record Rebuilding() implements Worth {}

        /** Parts are missing, or do not belong to it. */
        record Incomplete(List<String> why) implements Worth {}

        /** It belongs to another member. */
        record Refused(String why) implements Worth {}
    }

    /** The member's generation according to its store; 0 if unknown. */
    long generation() {
        return mark == null ? 0 : mark.generation();
    }

    Worth worth(String name) {
        MemberRecord recorded = member;
        if (recorded != null && !recorded.name().equals(name)) {
            return new Worth.Refused(
                    "It holds the data of " + recorded.name() + ", not of " + name);
        }
        if (mark != null && !mark.member().equals(name)) {
            return new Worth.Refused(
                    "Its store holds the data of " + mark.member() + ", not of " + name);
        }
        if (recorded == null) {
            boolean nothing =
                    !store && mark == null && !clock && !gcWatermark && !generations && !hints;
            return nothing ? new Worth.New() : new Worth.Incomplete(List.of("member is missing"));
        }
        return switch (recorded.standing()) {
            case NEW -> new Worth.New();
            case REBUILDING -> new Worth.Rebuilding();
            case WHOLE -> whole(recorded);
        };
    }

    private Worth whole(MemberRecord recorded) {
        List<String> why = new ArrayList<>();
        addIf(topology == null, "topology is missing", why);
        addIf(!store, "store is missing", why);
        if (mark == null) {
            addIf(store, "store/identity is missing", why);
        } else {
            addIf(mark.store() != recorded.store(), "store is not the one of member", why);
        }
        addIf(!clock, "clock is missing", why);
        addIf(!gcWatermark, "settled is missing", why);
        addIf(!generations, "generations is missing", why);
        return why.isEmpty() ? new Worth.Whole(recorded.store()) : new Worth.Incomplete(why);
    }

    private static void addIf(boolean missing, String what, List<String> why) {
        if (missing) {
            why.add(what);
        }
    }
}
