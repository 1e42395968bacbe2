package dev.quorate.testkit.check;

import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.HistoryCondition;

/**
 * The outcome of a request.
 *
 * @param version the version in a 504, or empty
 */
record RequestOutcome(Answer answer, Kind kind, String version) {

    RequestOutcome(Answer answer, Kind kind) {
        this(answer, kind, "");
    }

    /** The same outcome with another answer for the history. */
    RequestOutcome with(Answer other) {
        return new RequestOutcome(other, kind, version);
    }

    /** Classifies outcomes for counters and for the choice of the next node. */
    enum Kind {
        OK("ok"),
        UNMET("412"),
        /** 504: fewer replicas answered than the quorum needs. */
        NO_QUORUM("504"),
        /** 503: refused under overload. */
        OVERLOADED("503"),
        /** No connection was opened, so no request was sent. */
        UNREACHED("not reached"),
        /** The connection broke, or the request timed out. */
        UNANSWERED("unanswered"),
        /** An answer that no request of a check should get. */
        ODD("odd");

        final String word;

        Kind(String word) {
            this.word = word;
        }
    }

    /**
     * Maps an HTTP answer to an outcome.
     *
     * @param version the version header, or empty
     * @param body the name of a value (see {@link HistoryClient.Values}), or the text of an error
     */
    static RequestOutcome of(Action action, int status, String version, String body) {
        if (status == 503) {
            String why = body.contains("was removed") ? "503, removed" : "503";
            return new RequestOutcome(new Answer.Refused(why), Kind.OVERLOADED);
        }
        if (status == 504) {
            return new RequestOutcome(new Answer.Indeterminate("504"), Kind.NO_QUORUM, version);
        }
        if (status == 412 && !action.condition().equals(HistoryCondition.NONE)) {
            return new RequestOutcome(new Answer.Unmet(version), Kind.UNMET);
        }
        Answer answer =
                switch (action) {
                    case Action.Get() ->
                            switch (status) {
                                case 200 -> new Answer.Value(body, version);
                                case 404 -> new Answer.Absent();
                                default -> odd(status, body);
                            };
                    case Action.Put(_, _) ->
                            status == 201 ? new Answer.Stored(version) : odd(status, body);
                    case Action.Delete(_) ->
                            status == 202 ? new Answer.Deleted(version) : odd(status, body);
                };
        boolean isOdd = answer instanceof Answer.Refused || answer instanceof Answer.Indeterminate;
        return new RequestOutcome(answer, isOdd ? Kind.ODD : Kind.OK);
    }

    /** A request with a 4xx status was not executed; other statuses leave the outcome unknown. */
    private static Answer odd(int status, String body) {
        String what = ("status " + status + " " + body).strip();
        return status >= 400 && status < 500
                ? new Answer.Refused(what)
                : new Answer.Indeterminate(what);
    }
}
