package dev.quorate.node.coordinator;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Which of the open ranges hold pages: as many as there is memory for. The others wait for their
 * turn, in the order in which they came.
 *
 * <p>A turn lasts as long as it takes to read pages and to hand a batch of them over. What is left
 * of the pages is kept only while nobody waits: the range <i>rests</i>, and if another comes, the
 * one that has rested longest lets go, and reads the same once more when its reader goes on. So a
 * reader that stands still keeps nobody out.
 *
 * <p>The lock guards everything here; no range is called with it held.
 */
final class ScanMemoryLimiter {

    private enum State {
        /** It holds no pages, and wants none. */
        NONE,
        WAITING,
        HELD,
        RESTING,
        /** It has rested, and is to let go of its pages. */
        RECALLED
    }

    private final int max;
    private int taken;
    private final ArrayDeque<Turn> waiting = new ArrayDeque<>();
    private final LinkedHashSet<Turn> resting = new LinkedHashSet<>();

    /** So many ranges at once. */
    ScanMemoryLimiter(int max) {
        this.max = max;
    }

    /** For one range, which has no turn yet; {@code onChange} runs when it has one, or loses it. */
    Turn turn(Runnable onChange) {
        return new Turn(onChange);
    }

    /** One range's turn. */
    final class Turn {

        private final Runnable onChange;
        private State state = State.NONE;

        private Turn(Runnable onChange) {
            this.onChange = onChange;
        }

        /** Whether the range may hold pages now. If not, it is told when it is to ask again. */
        boolean take() {
            Turn recalled;
            synchronized (ScanMemoryLimiter.this) {
                if (state == State.RESTING) {
                    resting.remove(this);
                    state = State.HELD;
                } else if (state == State.NONE && taken < max) {
                    taken++;
                    state = State.HELD;
                }
                if (state != State.NONE) {
                    return state == State.HELD;
                }
                state = State.WAITING;
                waiting.add(this);
                recalled = longestResting();
            }
            if (recalled != null) {
                recalled.onChange.run();
            }
            return false;
        }

        /** The range waits for its reader. Returns false if others need its pages' room. */
        boolean rest() {
            synchronized (ScanMemoryLimiter.this) {
                if (state != State.HELD || !waiting.isEmpty()) {
                    return false;
                }
                state = State.RESTING;
                resting.add(this);
                return true;
            }
        }

        /** Whether the range is to let go of its pages and then to {@link #end}. */
        boolean isRecalled() {
            synchronized (ScanMemoryLimiter.this) {
                return state == State.RECALLED;
            }
        }

        /** The range has let go of its pages, or does not want any more. */
        void end() {
            Turn next;
            synchronized (ScanMemoryLimiter.this) {
                next = ended();
            }
            if (next != null) {
                next.onChange.run();
            }
        }

        /** Gives the turn to who waits longest. */
        private @Nullable Turn ended() {
            State was = state;
            state = State.NONE;
            switch (was) {
                case NONE -> {
                    return null;
                }
                case WAITING -> {
                    waiting.remove(this);
                    return null;
                }
                case RESTING -> resting.remove(this);
                case HELD, RECALLED -> {}
            }
            Turn next = waiting.poll();
            if (next == null) {
                taken--;
            } else {
                next.state = State.HELD;
            }
            return next;
        }
    }

    private @Nullable Turn longestResting() {
        if (resting.isEmpty()) {
            return null;
        }
        Turn longest = resting.removeFirst();
        longest.state = State.RECALLED;
        return longest;
    }
}
