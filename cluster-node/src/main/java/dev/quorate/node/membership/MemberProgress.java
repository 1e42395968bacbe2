package dev.quorate.node.membership;

import dev.quorate.node.message.MemberState;

/** What members know of each other's state. */
public interface MemberProgress {

    /** Whether this node's answers count. */
    boolean votes();

    /**
     * The state of this member that another one is sent.
     *
     * @param member its number
     */
    MemberState stateFor(int member);

    /**
     * Another member has sent its state.
     *
     * @param member its number
     */
    void heard(int member, MemberState theirs);

    /**
     * The life of another member's process, as it said last; 0 if it has said none.
     *
     * @param member its number
     */
    long lifeOf(int member);

    /**
     * This node has everything that the other had at a moment and that both are to have, and the
     * other has all of this node's.
     *
     * @param member the other's number
     * @param sinceMillis the moment, in milliseconds since 1970 on the slower of both clocks
     */
    void agreed(int member, long sinceMillis);

    /** See {@link MemberState#gcWatermarkMillis}. */
    long gcWatermarkMillis();
}
