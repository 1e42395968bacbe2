package dev.quorate.loadtest.bench;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.LoadResult;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Whether the answers of a run were correct, as far as the run checks them. */
public final class RunCheck {

    private RunCheck() {}

    /** Refuses a run with a single answer that is not right. */
    public static void requireRight(Load load, LoadResult result) throws RefusedFigureException {
        requireRight(load, result, Set.of());
    }

    /**
     * The same, but for answers with a tolerated status; where a run counts none, an error is no
     * reason.
     */
    public static void requireRight(Load load, LoadResult result, Set<Integer> tolerated)
            throws RefusedFigureException {
        if (result.requests() == 0) {
            throw new RefusedFigureException("nothing was answered.");
        }
        if (result.socketErrors() > 0) {
            throw new RefusedFigureException(
                    "%d connections failed, broke or were kept waiting for two seconds."
                            .formatted(result.socketErrors()));
        }
        if (load.manner().checks() || !result.answers().isEmpty()) {
            Map<Integer, Long> answers = new HashMap<>(result.answers());
            answers.keySet().removeAll(tolerated);
            requireStatuses(load.requests().expectedStatuses(), answers);
        } else if (tolerated.isEmpty()) {
            requireErrors(load.requests().operation(), result);
        }
        if (result.strangeBodies() > 0) {
            throw new RefusedFigureException(
                    "%d answers had a body that was never put.".formatted(result.strangeBodies()));
        }
    }

    private static void requireStatuses(Set<Integer> expected, Map<Integer, Long> answers)
            throws RefusedFigureException {
        if (!answers.keySet().equals(expected)) {
            throw new RefusedFigureException(
                    "every answer should have status %s, and these came: %s."
                            .formatted(describe(expected), describeCounts(answers)));
        }
    }

    private static void requireErrors(Operation operation, LoadResult result)
            throws RefusedFigureException {
        boolean isError = operation == Operation.GET_ABSENT;
        long wrong = isError ? result.requests() - result.statusErrors() : result.statusErrors();
        if (wrong != 0) {
            throw new RefusedFigureException(
                    "%d of %d answers had a status %s."
                            .formatted(
                                    wrong, result.requests(), isError ? "below 400" : "above 399"));
        }
    }

    static String describe(Set<Integer> statuses) {
        return new TreeSet<>(statuses)
                .stream().map(String::valueOf).collect(Collectors.joining(" or "));
    }

    static String describeCounts(Map<Integer, Long> counts) {
        return counts.isEmpty()
                ? "none"
                : new TreeMap<>(counts)
                        .entrySet().stream()
                                .map(count -> count.getValue() + " with " + count.getKey())
                                .collect(Collectors.joining(", "));
    }
}
