package dev.quorate.node.antientropy;

import dev.quorate.node.membership.MemberProgress;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.topology.Member;

/** A member that votes, and takes no notice of what the others announce. */
final class FixedProgress implements MemberProgress {

    boolean needsData;
    boolean othersHaveTheirData = true;

    @Override
    public boolean needsData() {
        return needsData;
    }

    @Override
    public boolean votes() {
        return true;
    }

    @Override
    public MemberState stateFor(int member) {
        return MemberStates.of(1, MemberState.Condition.WHOLE, 0, 2_000, 0, 0);
    }

    @Override
    public void onState(int member, MemberState theirs) {}

    @Override
    public boolean hasItsData(Member other) {
        return othersHaveTheirData;
    }

    @Override
    public long lifeOf(int member) {
        return 1;
    }

    @Override
    public void agreed(int member, long sinceMillis, int epoch) {}

    @Override
    public long gcWatermarkMillis() {
        return 0;
    }
}
