package dev.quorate.node.membership;

import dev.quorate.router.message.MemberState;
import dev.quorate.router.topology.Member;

/** The states of all members, as this member knows them. */
public interface MemberProgress {

    /** Whether this node's answers count as votes. */
    boolean votes();

    /**
     * Whether another member has its data. Otherwise it is rebuilt, or joins in the change that is
     * in progress, and compares with the others by itself.
     */
    boolean hasItsData(Member other);

    /** Whether this member gets data that it needs from others, and so may be quick about it. */
    default boolean needsData() {
        return !votes();
    }

    /**
     * The state of this member to send to another member.
     *
     * @param member its number
     */
    MemberState stateFor(int member);

    /**
     * Receives another member's state.
     *
     * @param member its number
     */
    void onState(int member, MemberState theirs);

    /**
     * The life of another member's process, as last announced; 0 if unknown.
     *
     * @param member its number
     */
    long lifeOf(int member);

    /**
     * Notes that this member and another agree: each has every entry that the other had at a given
     * moment and that both own.
     *
     * @param member the other's number
     * @param sinceMillis the moment, in milliseconds since 1970 on the slower of both clocks
     * @param epoch the epoch in which both own these entries
     */
    void agreed(int member, long sinceMillis, int epoch);

    /** See {@link MemberState#gcWatermarkMillis}. */
    long gcWatermarkMillis();
}
