package dev.quorate.testkit.check;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.HistoryCondition;
import dev.quorate.testkit.history.Promise;
import dev.quorate.testkit.history.SeenValues;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What clients ask.
 *
 * <p>Time is divided into windows. Each window has a few keys, so that clients contend for them,
 * and quorums drawn from the seed. A few more keys are used all the time. Occasionally a client
 * reads a key of an earlier window. So the histories of single keys stay short, and old writes are
 * checked too. Of writes at a majority a share that is drawn for each window is conditional;
 * clients share what they have seen, so that several name the same version.
 */
final class CheckWorkload {

    /** Keys that are used in all windows. */
    private static final int LASTING_KEYS = 4;

    private static final int LASTING_PERCENT = 10;
    private static final int EARLIER_PERCENT = 5;

    /** Of the writes of a window. */
    private static final int[] CONDITIONAL_PERCENT = {20, 50, 100};

    /**
     * One request of one client.
     *
     * @param base the version of the value that its condition names, or empty
     * @param version that it carries, or empty
     */
    record Wish(String key, Action action, QuorumSpec spec, String base, String version) {

        /** Without a condition. */
        Wish(String key, Action action, QuorumSpec spec) {
            this(key, action, spec, "", "");
        }

        Wish withVersion(String newVersion) {
            return new Wish(key, action, spec, base, newVersion);
        }

        boolean isConditional() {
            return !action.condition().equals(HistoryCondition.NONE);
        }
    }

    /** The quorums of a window, and how many requests of a hundred are what. */
    private record Style(
            List<QuorumSpec> specs, int getPercent, int deletePercent, int conditionalPercent) {}

    private final String prefix;
    private final long seed;
    private final int keysPerWindow;
    private final long windowMillis;
    private final QuorumSpec majority;
    private final Promise promise;

    /**
     * A workload.
     *
     * @param prefix of all its keys, not used before
     * @param from the number of replicas of a key
     * @param promise that the history is checked against
     */
    CheckWorkload(
            String prefix,
            long seed,
            int keysPerWindow,
            long windowMillis,
            int from,
            Promise promise) {
        this.prefix = prefix;
        this.seed = seed;
        this.keysPerWindow = keysPerWindow;
        this.windowMillis = windowMillis;
        this.majority = QuorumSpec.majority(from);
        this.promise = promise;
    }

    QuorumSpec majority() {
        return majority;
    }

    /**
     * The next request.
     *
     * @param millis since the beginning
     * @param value that no earlier PUT had
     * @param seen what clients have seen of a key last
     */
    Wish next(SplittableRandom random, long millis, String value, SeenValues seen) {
        long window = millis / windowMillis;
        Style style = style(window);
        int dice = random.nextInt(100);
        if (dice < LASTING_PERCENT) {
            String key = prefix + "lasting-" + random.nextInt(LASTING_KEYS);
            return nextRequest(random, style, key, majority, value, seen);
        }
        if (dice < LASTING_PERCENT + EARLIER_PERCENT && window > 0) {
            String key = key(random.nextLong(window), random.nextInt(keysPerWindow));
            return new Wish(key, new Action.Get(), majority);
        }
        return nextRequest(
                random,
                style,
                key(window, random.nextInt(keysPerWindow)),
                style.specs.get(random.nextInt(style.specs.size())),
                value,
                seen);
    }

    private Wish nextRequest(
            SplittableRandom random,
            Style style,
            String key,
            QuorumSpec spec,
            String value,
            SeenValues seen) {
        int dice = random.nextInt(100);
        if (dice < style.getPercent) {
            return new Wish(key, new Action.Get(), spec);
        }
        boolean isDelete = dice < style.getPercent + style.deletePercent;
        boolean isConditional =
                spec.equals(majority) && random.nextInt(100) < style.conditionalPercent;
        SeenValues.Seen last = isConditional ? seen.of(key) : null;
        HistoryCondition condition =
                isConditional ? SeenValues.condition(random, last) : HistoryCondition.NONE;
        return new Wish(
                key,
                isDelete ? new Action.Delete(condition) : new Action.Put(value, condition),
                spec,
                last != null && condition instanceof HistoryCondition.Is ? last.version() : "",
                "");
    }

    /** All keys that were used up to a time. */
    List<String> keys(long millis) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < LASTING_KEYS; i++) {
            keys.add(prefix + "lasting-" + i);
        }
        for (long window = 0; window <= millis / windowMillis; window++) {
            for (int i = 0; i < keysPerWindow; i++) {
                keys.add(key(window, i));
            }
        }
        return keys;
    }

    private String key(long window, int number) {
        return prefix + window + "-" + number;
    }

    /** Linearizability is promised only for majorities. */
    private Style style(long window) {
        SplittableRandom random = new SplittableRandom(seed * 31 + window);
        int from = majority.from();
        List<QuorumSpec> specs =
                promise == Promise.LINEARIZABLE || random.nextInt(3) > 0
                        ? List.of(majority)
                        : List.of(
                                majority,
                                majority,
                                new QuorumSpec(1, from),
                                new QuorumSpec(from, from),
                                new QuorumSpec(1, 1));
        return new Style(
                specs,
                20 + random.nextInt(60),
                random.nextBoolean() ? 0 : random.nextInt(20),
                CONDITIONAL_PERCENT[random.nextInt(CONDITIONAL_PERCENT.length)]);
    }
}
