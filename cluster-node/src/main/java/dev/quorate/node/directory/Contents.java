package dev.quorate.node.directory;

import dev.quorate.node.directory.MemberRecord.Standing;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
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

        /** It belongs to another member or another cluster. */
        record Refused(String why) implements Worth {}
    }

    /** The member's generation according to its store; 0 if unknown. */
    long generation() {
        return mark == null ? 0 : mark.generation();
    }

    /**
     * @param option the topology of the options
     */
    Worth worth(String name, Topology option) {
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
        Topology used = topology == null ? option : topology.topology();
        boolean haveMembersChanged = used.isJoint() || used.shrunk() > 0;
        if (recorded.standing() != Standing.NEW
                && !haveMembersChanged
                && !used.placesLike(option)) {
            return new Worth.Refused(otherPlacement(used, option));
        }
        return switch (recorded.standing()) {
            case NEW -> new Worth.New();
            case REBUILDING -> new Worth.Rebuilding();
            case WHOLE -> whole(recorded);
        };
    }

    private static String otherPlacement(Topology used, Topology option) {
        return "Its data was stored with "
                + placement(used)
                + ", and the option topology now has "
                + placement(option)
                + ", so keys would be looked for where they are not: start with the topology of"
                + " before, or copy the entries into a new cluster (docs/moving-data.md)";
    }

    private static String placement(Topology topology) {
        return "the members %s (%s copies, %s virtual nodes)"
                .formatted(
                        String.join(", ", topology.members().stream().map(Member::name).toList()),
                        topology.replicationFactor(),
                        topology.virtualNodes());
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
