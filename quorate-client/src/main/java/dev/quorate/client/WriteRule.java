package dev.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * A write. It is sent again only as the same write: under its own version, with which replicas
 * store it once and supersede nothing newer; or without one, while no node can have done anything.
 *
 * <p>After an attempt whose outcome is not known and which had no version nothing is sent: as a new
 * write it would supersede what others have written since, and a condition could hold twice.
 */
final class WriteRule implements Rule<WriteResult> {

    private final Request request;
    private final boolean isConditional;
    private final Rule.Problems problems = new Rule.Problems();

    private @Nullable Version version;

    /** Whether the client made the version up, so that the write can do without it. */
    private boolean isChosen;

    /** Whether a node may have stored it, or may do so later. */
    private boolean isMaybeStored;

    /**
     * Of nothing yet.
     *
     * @param request without the version
     * @param version of an earlier attempt, given, or chosen for this write; null to take a node's
     * @param isChosen whether this client chose the version
     * @param isMaybeStored whether an earlier attempt may have stored it
     */
    WriteRule(
            Request request,
            boolean isConditional,
            @Nullable Version version,
            boolean isChosen,
            boolean isMaybeStored) {
        this.request = request;
        this.isConditional = isConditional;
        this.version = version;
        this.isChosen = isChosen;
        this.isMaybeStored = isMaybeStored;
    }

    @Override
    public Request request() {
        return version == null ? request : request.with("X-Quorate-Version", version.text());
    }

    @Nullable Version version() {
        return version;
    }

    @Override
    public boolean isRepeatable() {
        return version != null;
    }

    @Override
    public Step<WriteResult> after(String node, Attempt attempt) {
        if (attempt instanceof Attempt.Answered answered) {
            Version named = answered.version();
            if ((answered.status() == 201 || answered.status() == 202) && named != null) {
                return new Step.Done<>(new WriteResult.Written(named));
            }
            if (answered.status() == 412 && answered.isProblem() && isConditional) {
                return new Step.Done<>(new WriteResult.Unmet(java.util.Optional.ofNullable(named)));
            }
            problems.add(node, "answered " + answered);
            if (answered.isRefusal()) {
                return refused(node, answered);
            }
            if (answered.status() == 504 && answered.isProblem()) {
                return indeterminate(named);
            }
        } else {
            problems.add(node, attempt);
        }
        return attempt.isWithoutEffect() ? new Step.Again<>() : unanswered();
    }

    private Step<WriteResult> refused(String node, Attempt.Answered answered) {
        if (isMaybeStored) {
            return new Step.Failed<>(unknown("It is refused now, and what became of an earlier"));
        }
        if (answered.status() == 409 && isChosen) {
            // The clock here differs too much from the nodes'. Nothing was written.
            version = null;
            isChosen = false;
            return new Step.Again<>();
        }
        return new Step.Failed<>(
                new RefusedException(answered.status(), node + " answered " + answered));
    }

    /** Without a version the node has changed nothing. */
    private Step<WriteResult> indeterminate(@Nullable Version named) {
        if (named != null) {
            isMaybeStored = true;
            version = version == null ? named : version;
        }
        return new Step.Again<>();
    }

    private Step<WriteResult> unanswered() {
        isMaybeStored = true;
        return version == null ? late() : new Step.Again<>();
    }

    @Override
    public Step<WriteResult> late() {
        return new Step.Failed<>(
                isMaybeStored
                        ? unknown("What became of an")
                        : new UnavailableException(
                                problems.after("No node could write it. Nothing is stored.")));
    }

    private OutcomeUnknownException unknown(String why) {
        return new OutcomeUnknownException(
                problems.after(why + " attempt to write it is not known."), version);
    }
}
