package dev.quorate.node.antientropy;

import dev.quorate.node.message.MemberState;

/** What this node and the others know of each other. */
public interface MemberProgress {

    /** Whether this node's answers count. */
    boolean votes();

    /**
     * What another member is told of this one.
     *
     * @param member its number
     */
    MemberState newsFor(int member);

    /**
     * What another member has told.
     *
     * @param member its number
     */
    void heard(int member, MemberState theirs);

    /**
     * The life of another member's process, as it has told last; 0 if it has not.
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
