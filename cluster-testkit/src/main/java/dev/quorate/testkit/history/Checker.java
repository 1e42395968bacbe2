package dev.quorate.testkit.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks whether a cluster that keeps its promise could have produced a history.
 *
 * <p>There are no false positives: a cluster that keeps the promise cannot give the reported
 * answers, even if messages are late or lost. Each key is checked separately, in n log n time for
 * each {@code ack/from} in use, and in linear memory.
 *
 * <p>The method is that of Gibbons and Korach (Testing Shared Memories, 1997) for registers with
 * unique values. It needs no search, unlike Knossos (after Wing and Gong, 1993), whose search takes
 * exponential time when many operations overlap. It is extended by {@code ack/from} and by promises
 * weaker than linearizability. As in Jepsen, a write with an unknown outcome may be executed at any
 * later time.
 *
 * <p>Limits:
 *
 * <ul>
 *   <li>A write with an unknown outcome is not checked until a read returns its value.
 *   <li>If several DELETEs can explain a read that found nothing, and the key is used with several
 *       {@code ack/from} or must be linearizable, each such read is checked separately. See {@link
 *       HistoryVerdict.Counts#ambiguousReads}.
 *   <li>Operations with different {@code from}, or with acks that do not overlap, are not compared,
 *       as nothing is promised between them. Of conditional writes with one {@code from} that name
 *       one version, at most one may be acknowledged.
 *   <li>A few violations of each key are reported: accused operations are set aside, and the rest
 *       is checked again.
 * </ul>
 */
public final class Checker {

    private Checker() {}

    /** Checks a history against the default promise, {@link Promise#QUORUM}. */
    public static HistoryVerdict check(History history) {
        return check(history, Promise.QUORUM);
    }

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
