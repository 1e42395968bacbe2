package dev.quorate.client;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decides what follows each attempt of one operation: no I/O, no clock, no lock. Its call asks one
 * thread at a time.
 *
 * @param <T> the result
 */
interface Rule<T> {

    /** What to do. */
    sealed interface Step<T> {

        /** It is done. */
        record Done<T>(T result) implements Step<T> {}

        /** It has failed. */
        record Failed<T>(QuorateException why) implements Step<T> {}

        /** It is sent again, to another node or later. */
        record Again<T>() implements Step<T> {}
    }

    /** What is sent now. */
    Request request();

    /**
     * Whether an attempt may be given up before the deadline, because another one can follow it
     * whatever became of it.
     */
    boolean isRepeatable();

    /**
     * The next step.
     *
     * @param node that was asked, for messages
     */
    Step<T> after(String node, Attempt attempt);

    /** The last step, done or failed: time is over. */
    Step<T> late();

    /** What each node answered last, for the message of a failure. */
    static final class Problems {

        private final Map<String, String> byNode = new LinkedHashMap<>();
        private int attempts;

        void add(String node, Object problem) {
            attempts++;
            byNode.remove(node);
            byNode.put(node, problem.toString());
        }

        /** One line for each node, after a sentence. */
        String after(String sentence) {
            StringBuilder message = new StringBuilder(sentence);
            message.append(attempts == 1 ? " 1 attempt." : " " + attempts + " attempts.");
            byNode.forEach(
                    (node, problem) ->
                            message.append('\n').append(node).append(' ').append(problem));
            return message.toString();
        }
    }
}
