package dev.quorate.loadtest.load;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Checks that the answers of a run were correct, as far as the run checked them. */
public final class RunCheck {

    private RunCheck() {}

    /**
     * Throws if a run had a wrong answer.
     *
     * @param tolerated statuses that do not count as errors
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
        Set<Integer> expected = load.requests().expectedStatuses();
        Map<Integer, Long> answers = new TreeMap<>(result.answers());
        answers.keySet().removeAll(tolerated);
        if (!answers.keySet().equals(expected)) {
            throw new RefusedFigureException(
                    "every answer should have status %s, and these came: %s."
                            .formatted(
                                    new TreeSet<>(expected)
                                            .stream()
                                                    .map(String::valueOf)
                                                    .collect(Collectors.joining(" or ")),
                                    describe(answers)));
        }
        if (result.strangeBodies() > 0) {
            throw new RefusedFigureException(
                    "%d answers had a body that was never put.".formatted(result.strangeBodies()));
        }
    }

    /** The numbers of answers by status as text. */
    public static String describe(Map<Integer, Long> answers) {
        return answers.isEmpty()
                ? "none"
                : new TreeMap<>(answers)
                        .entrySet().stream()
                                .map(count -> count.getValue() + " with " + count.getKey())
                                .collect(Collectors.joining(", "));
    }
}
