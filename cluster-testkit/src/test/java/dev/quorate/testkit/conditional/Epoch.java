package dev.quorate.testkit.conditional;

import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * The owners of the key in one epoch.
 *
 * @param members by index; while keys move, the owners both before and after the change first
 * @param majority a majority of each group of them
 */
record Epoch(int number, List<Integer> members, Electorate majority) {

    static Epoch stable(int number, List<Integer> owners) {
        return new Epoch(number, owners, Electorate.majority(owners.size()));
    }

    /**
     * @param isReversed whether the rounds take the owners after the change for those before it, by
     *     mistake
     */
    static Epoch joint(int number, List<Integer> before, List<Integer> after, boolean isReversed) {
        List<Integer> members = new ArrayList<>(before);
        members.retainAll(after);
        before.stream().filter(each -> !after.contains(each)).forEach(members::add);
        after.stream().filter(each -> !before.contains(each)).forEach(members::add);
        List<Integer> first = isReversed ? after : before;
        List<Integer> second = isReversed ? before : after;
        Electorate majority =
                Electorate.joint(
                        QuorumSpec.majority(first.size()),
                        mask(members, first),
                        QuorumSpec.majority(second.size()),
                        mask(members, second));
        return new Epoch(number, members, majority);
    }

    private static long mask(List<Integer> members, List<Integer> group) {
        return group.stream().mapToLong(each -> 1L << members.indexOf(each)).sum();
    }

    /** The index of a replica; -1 if it is not an owner. */
    int index(SimulatedReplica replica) {
        return members.indexOf(replica.number);
    }
}
