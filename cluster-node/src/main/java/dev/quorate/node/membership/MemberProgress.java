package dev.quorate.node.membership;

import dev.quorate.router.message.MemberState;

/** The states of all members, as this one knows them. */
public interface MemberProgress {

    /** Whether this node's answers count. */
    boolean votes();

    /**
     * The state of this member to send to another one.
     *
     * @param member its number
     */
    MemberState stateFor(int member);

    /**
     * Takes another member's state.
     *
     * @param member its number
     */
    void heard(int member, MemberState theirs);

    /**
     * The life of another member's process, as last announced; 0 if unknown.
     *
     * @param member its number
     */
    long lifeOf(int member);

    /**
     * Notes that two members agree: each has every entry that the other had at a moment and that
     * both own.
     *
     * @param member the other's number
     * @param sinceMillis the moment, in milliseconds since 1970 on the slower of both clocks
     */
    void agreed(int member, long sinceMillis);

    /** See {@link MemberState#gcWatermarkMillis}. */
    long gcWatermarkMillis();
}
