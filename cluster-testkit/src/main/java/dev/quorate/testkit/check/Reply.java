package dev.quorate.testkit.check;

import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;

/** What came of a request. */
record Reply(Answer answer, Kind kind) {

    /** For counting, and for choosing the next node. */
    enum Kind {
        /** What was asked for. */
        OK("ok"),
        /** 504: fewer replicas answered than were asked for. */
        NO_QUORUM("504"),
        /** 503: turned away. */
        OVERLOADED("503"),
        /** No connection was made, so nothing was asked. */
        UNREACHED("not reached"),
        /** The connection broke, or nothing came in time. */
        UNANSWERED("unanswered"),
        /** An answer that a client of this kind should not get. */
        ODD("odd");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    /**
     * What an answer over HTTP means.
     *
     * @param version its header, or empty
     * @param body a value's name, see {@link Values}
     */
    static Reply of(Action action, int status, String version, String body) {
        if (status == 503) {
            return new Reply(new Answer.Refused("503"), Kind.OVERLOADED);
        }
        if (status == 504) {
            return new Reply(new Answer.Indeterminate("504"), Kind.NO_QUORUM);
        }
        Answer answer =
                switch (action) {
                    case Action.Get() ->
                            switch (status) {
                                case 200 -> new Answer.Value(body, version);
                                case 404 -> new Answer.Absent();
                                default -> odd(status);
                            };
                    case Action.Put(_) -> status == 201 ? new Answer.Stored(version) : odd(status);
                    case Action.Delete() ->
                            status == 202 ? new Answer.Deleted(version) : odd(status);
                };
        boolean isOdd = answer instanceof Answer.Refused || answer instanceof Answer.Indeterminate;
        return new Reply(answer, isOdd ? Kind.ODD : Kind.OK);
    }

    /** What is a mistake of the client's was not done; of other answers nobody knows. */
    private static Answer odd(int status) {
        return status >= 400 && status < 500
                ? new Answer.Refused("status " + status)
                : new Answer.Indeterminate("status " + status);
    }
}
