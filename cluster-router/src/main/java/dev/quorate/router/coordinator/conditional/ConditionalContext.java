package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.coordinator.operation.View;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The state that the conditional writes of a node share.
 *
 * @param waiting writes that wait for other writes of their key
 * @param reader reads a key at a majority
 */
record ConditionalContext(
        OperationContext operations,
        NodeRuntime runtime,
        Leads leads,
        Turns turns,
        WaitingWrites waiting,
        WaitingWrites.Reader reader) {

    /** A member that is as many epochs behind finds no majority of owners in its epoch. */
    private static final int EPOCHS = 4;

    /**
     * Takes a reading of the clock that no other member takes: a step does not name its member, and
     * two members may write one key in one millisecond. Members have other places in another epoch,
     * so the step has the epoch's last bits, too. Null if the clock cannot give one.
     *
     * @param after a reading to exceed, unsigned
     */
    @Nullable Timestamp stamp(long after) {
        Timestamp now = operations.clock().observe(after) ? operations.clock().next() : null;
        if (now == null) {
            return null;
        }
        View view = operations.view();
        int place = place(view.topology(), view.local().member());
        long next = (now.hybrid() | (EPOCHS * Topology.MAX_MEMBERS - 1)) + 1;
        Timestamp own = new Timestamp(next + place, now.node());
        // The clock gives a later reading only below its bound on disk.
        boolean isBelowBound = operations.clock().observe(own) && operations.clock().next() != null;
        return isBelowBound ? own : null;
    }

    /** A number that no other member has, in this epoch and the three before. */
    static int place(Topology topology, Member member) {
        return topology.epoch() % EPOCHS * Topology.MAX_MEMBERS
                + topology.members().indexOf(member);
    }
}
