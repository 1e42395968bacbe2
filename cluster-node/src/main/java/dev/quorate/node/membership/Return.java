package dev.quorate.node.membership;

import java.util.HashSet;
import java.util.Set;

/**
 * Decides when a restarted member with data may vote. It learns from another member, or from all if
 * they answer soon, whether any knows of a later life of it. If not, it records a new generation on
 * disk. It votes when another member has recorded that too. Pure; not thread-safe.
 */
final class Return {

    enum Step {
        /** Wait for other members. */
        WAIT,
        /** Wait a moment for the other members, then call {@link #waitedLongEnough}. */
        GIVE_OTHERS_TIME,
        /** Record a new generation, then call {@link #advanced}. */
        ADVANCE,
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
     * Receives another member's state.
     *
     * @param remembers whether the other member has data, and may know an earlier life of this
     *     member
     * @param hasRecorded whether the other member has this life's generation on disk
     */
    Step onState(int member, boolean remembers, boolean hasRecorded) {
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

    /** Continues without the members that have not answered. */
    Step waitedLongEnough() {
        if (state != State.GIVING_TIME) {
            return Step.WAIT;
        }
        state = State.ADVANCING;
        return Step.ADVANCE;
    }

    /** Notes that the new generation is on disk. */
    void advanced() {
        if (state == State.ADVANCING) {
            state = State.TO_BE_RECORDED;
        }
    }

    /** Notes that the new generation could not be recorded, and must be tried again. */
    void notAdvanced() {
        if (state == State.ADVANCING) {
            state = State.GIVING_TIME;
        }
    }

    /** Ends: the directory is an old copy. */
    void cancel() {
        state = State.OVER;
    }
}
