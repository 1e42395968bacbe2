package dev.quorate.node.membership;

import java.util.Collection;
import java.util.Set;

/** Starts and observes rounds of repairs with peers. */
public interface RepairRounds {

    /** Called at the end of each round. */
    @FunctionalInterface
    interface Listener {

        /**
         * Handles the end of a round.
         *
         * @param round its number
         * @param agreedWith the names of the peers whose repair was complete
         */
        void ended(long round, Set<String> agreedWith);
    }

    /** Adds a listener, which is called after the listeners added before it. */
    void whenRoundEnds(Listener listener);

    /** The number of the latest round, counted from 1; 0 if there was none. */
    long lastRound();

    /**
     * Begins a round with some peers, unless one is running.
     *
     * @param with their names
     * @return its number
     */
    long begin(Collection<String> with);
}
