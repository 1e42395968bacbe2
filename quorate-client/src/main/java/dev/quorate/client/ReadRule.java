package dev.quorate.client;

/**
 * A read: whatever fails may be asked again, anywhere. What is refused, or too large, would be so
 * everywhere.
 *
 * @param <T> the result
 */
final class ReadRule<T> implements Rule<T> {

    /** Reads the result from an answer with the status 200 or 404. */
    @FunctionalInterface
    interface Parser<T> {
        T parse(Attempt.Answered answer) throws Json.BadAnswerException;
    }

    private final Request request;
    private final Parser<T> parser;
    private final Rule.Problems problems = new Rule.Problems();

    ReadRule(Request request, Parser<T> parser) {
        this.request = request;
        this.parser = parser;
    }

    @Override
    public Request request() {
        return request;
    }

    @Override
    public boolean isRepeatable() {
        return true;
    }

    @Override
    public Step<T> after(String node, Attempt attempt) {
        Object problem = attempt;
        if (attempt instanceof Attempt.TooLarge) {
            return new Step.Failed<>(new RefusedException(0, node + " " + attempt));
        }
        if (attempt instanceof Attempt.Answered answered) {
            boolean isAbsence = answered.status() == 404 && answered.isProblem();
            if (answered.status() == 200 || isAbsence) {
                try {
                    return new Step.Done<>(parser.parse(answered));
                } catch (Json.BadAnswerException e) {
                    problem = "sent what is no answer: " + e.getMessage();
                }
            } else if (answered.isRefusal()) {
                return new Step.Failed<>(
                        new RefusedException(answered.status(), node + " answered " + answered));
            } else {
                problem = "answered " + answered;
            }
        }
        problems.add(node, problem);
        return new Step.Again<>();
    }

    @Override
    public Step<T> late() {
        return new Step.Failed<>(
                new UnavailableException(problems.after("No node could read it.")));
    }
}
