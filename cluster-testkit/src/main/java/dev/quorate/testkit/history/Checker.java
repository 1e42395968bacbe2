package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks whether a cluster that keeps its promise could have produced a history.
 *
 * <p>It has no false positives: no cluster that keeps the promise can have given the reported
 * answers, whichever messages were late or lost and whichever requests were answered with 504. Each
 * key is checked by itself, in n log n of its operations for each {@code ack/from} in use, and in
 * memory linear in them.
 *
 * <p>The method is that of Gibbons and Korach (Testing Shared Memories, 1997) for registers whose
 * values are unique, which need no search, other than Knossos (after Wing and Gong, 1993), whose
 * search takes exponential time where many operations overlap. It is extended by {@code ack/from},
 * and by promises that are weaker than linearizability. That a write with an unknown outcome may be
 * executed at any later time is Jepsen's rule.
 *
 * <p>What it does not find:
 *
 * <ul>
 *   <li>a write with an unknown outcome, and the order of its versions, until a read returns it;
 *   <li>of reads that found nothing and that several DELETEs explain: whether all of them can be
 *       explained at once, if the key is used with several {@code ack/from}, or is to be
 *       linearizable. Each is then checked by itself, see {@link
 *       HistoryVerdict.Counts#ambiguousReads};
 *   <li>anything between different {@code from}, or acks that do not overlap: nothing is promised;
 *       of conditional writes with one {@code from} that name one version at most one is
 *       acknowledged, whatever is written at others;
 *   <li>more than a few violations of one key: what is accused is set aside, and the rest is
 *       checked anew.
 * </ul>
 */
public final class Checker {

    private Checker() {}

    /** Checks a history against the default promise, {@link Promise#QUORUM}. */
    public static HistoryVerdict check(History history) {
        return check(history, Promise.QUORUM);
    }

    /** Checks a history against a promise. */
    public static HistoryVerdict check(History history, Promise promise) {
        Map<String, List<Operation>> keys = new LinkedHashMap<>();
        for (Operation operation : history.operations()) {
            keys.computeIfAbsent(operation.key(), _ -> new ArrayList<>()).add(operation);
        }
        List<Violation> violations = new ArrayList<>();
        HistoryVerdict.Counts counts = HistoryVerdict.Counts.NONE;
        for (Map.Entry<String, List<Operation>> key : keys.entrySet()) {
            HistoryVerdict verdict = new KeyChecker(promise, key.getKey(), key.getValue()).check();
            violations.addAll(verdict.violations());
            counts = counts.plus(verdict.counts());
        }
        return new HistoryVerdict(promise, violations, counts);
    }
}
