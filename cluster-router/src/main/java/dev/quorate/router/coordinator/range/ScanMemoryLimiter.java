package dev.quorate.router.coordinator.range;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many open ranges buffer pages at once. The others wait for their turn, first come,
 * first served.
 *
 * <p>A turn lasts while the range reads pages and hands over a batch of them. Remaining pages stay
 * in memory only while no other range waits: the range <i>rests</i>. When another arrives, the
 * range that has rested longest is recalled: it drops its pages, and reads them again when its
 * client continues. So a client that does not read blocks no other range.
 *
 * <p>The lock guards all fields; no range is called with it held.
 */
final class ScanMemoryLimiter {

    private enum State {
        /** It has no pages, and needs none. */
        NONE,
        WAITING,
        HELD,
        RESTING,
        /** It has rested, and must drop its pages. */
        RECALLED
    }

    private final int max;
    private int taken;
    private final ArrayDeque<Turn> waiting = new ArrayDeque<>();
    private final LinkedHashSet<Turn> resting = new LinkedHashSet<>();

    /**
     * @param max ranges that may buffer pages at once
     */
    ScanMemoryLimiter(int max) {
        this.max = max;
    }

    /** One range's turn. */
    final class Turn {

        private final Runnable onChange;
        private State state = State.NONE;

        /**
         * @param onChange runs when the turn begins, or is recalled
         */
        Turn(Runnable onChange) {
            this.onChange = onChange;
        }

        /**
         * Whether the range may buffer pages now. If not, {@code onChange} runs when it may ask
         * again.
         */
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

        /**
         * Notes that the range waits for its client. False if it must drop its pages for another.
         */
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

        /** Whether the range must drop its pages and then {@link #end}. */
        boolean isRecalled() {
            synchronized (ScanMemoryLimiter.this) {
                return state == State.RECALLED;
            }
        }

        /** Ends the turn: the range has dropped its pages, or is over. */
        void end() {
            Turn next;
            synchronized (ScanMemoryLimiter.this) {
                next = ended();
            }
            if (next != null) {
                next.onChange.run();
            }
        }

        /** Passes the turn to the range that waits longest. */
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
