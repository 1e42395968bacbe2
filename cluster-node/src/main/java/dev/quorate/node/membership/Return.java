package dev.quorate.node.membership;

import java.util.HashSet;
import java.util.Set;

/**
 * How a member with a past comes to vote again: it hears from another member, or from all if they
 * answer soon, whether any of them knows of a later life of it; if not, it notes a new generation
 * on its disk; and it votes when another member has that on disk. Decides only, and is not safe for
 * use by several threads.
 */
final class Return {

    /** What is to be done next. */
    enum Step {
        /** Nothing: more has to be heard. */
        WAIT,
        /** Wait for the other members for a moment, and then say {@link #waitedLongEnough}. */
        GIVE_OTHERS_TIME,
        /** Note a new generation, and then say {@link #advanced}. */
        ADVANCE,
        /** Vote. */
        VOTE
    }

    private enum State {
        LISTENING,
        GIVING_TIME,
        ADVANCING,
        TO_BE_RECORDED,
        OVER
    }

    private final int otherMembers;
    private final Set<Integer> heardFrom = new HashSet<>();
    private State state = State.LISTENING;

    Return(int otherMembers) {
        this.otherMembers = otherMembers;
    }

    /**
     * Another member has said how it is.
     *
     * @param remembers whether it has a past, so that it may know of this member's
     * @param hasRecorded whether it has this life's generation on disk
     */
    Step heard(int member, boolean remembers, boolean hasRecorded) {
        heardFrom.add(member);
        return switch (state) {
            case LISTENING, GIVING_TIME -> {
                if (heardFrom.size() == otherMembers && (remembers || state == State.GIVING_TIME)) {
                    state = State.ADVANCING;
                    yield Step.ADVANCE;
                }
                if (remembers && state == State.LISTENING) {
                    state = State.GIVING_TIME;
                    yield Step.GIVE_OTHERS_TIME;
                }
                yield Step.WAIT;
            }
            case TO_BE_RECORDED -> {
                if (remembers && hasRecorded) {
                    state = State.OVER;
                    yield Step.VOTE;
                }
                yield Step.WAIT;
            }
            case ADVANCING, OVER -> Step.WAIT;
        };
    }

    /** The members that have not been heard from had their time. */
    Step waitedLongEnough() {
        if (state != State.GIVING_TIME) {
            return Step.WAIT;
        }
        state = State.ADVANCING;
        return Step.ADVANCE;
    }

    /** The new generation is on disk. */
    void advanced() {
        if (state == State.ADVANCING) {
            state = State.TO_BE_RECORDED;
        }
    }

    /** The new generation could not be noted: to be tried again. */
    void notAdvanced() {
        if (state == State.ADVANCING) {
            state = State.GIVING_TIME;
        }
    }

    /** This directory is an old copy. */
    void cancel() {
        state = State.OVER;
    }
}
