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
 * Draws the requests of clients.
 *
 * <p>Time is divided into windows. Each window has a few keys, so that clients contend for them and
 * histories are short, and quorums drawn from the seed. A few more keys are used in all windows.
 * Occasionally a client reads a key of an earlier window, which checks old writes. A share of the
 * majority writes is conditional; clients share the versions that they have seen, so that several
 * name the same version.
 *
 * @param prefix the prefix of all keys, not used before
 * @param majority of the replicas of a key
 */
record CheckWorkload(
        String prefix,
        long seed,
        int keysPerWindow,
        long windowMillis,
        QuorumSpec majority,
        Promise promise) {

    /** Keys that are used in all windows. */
    private static final int LASTING_KEYS = 4;

    private static final int LASTING_PERCENT = 10;
    private static final int EARLIER_PERCENT = 5;

    /** The percentages of conditional writes that a window may have. */
    private static final int[] CONDITIONAL_PERCENT = {20, 50, 100};

    /**
     * @param base the version that the condition names, or empty
     * @param version the version of the write, or empty to let the node choose one
     */
    record ClientRequest(String key, Action action, QuorumSpec spec, String base, String version) {

        ClientRequest(String key, Action action, QuorumSpec spec) {
            this(key, action, spec, "", "");
        }

        ClientRequest withVersion(String newVersion) {
            return new ClientRequest(key, action, spec, base, newVersion);
        }

        boolean isConditional() {
            return !action.condition().equals(HistoryCondition.NONE);
        }
    }

    /** The quorums of a window, and its percentages of kinds of requests. */
    private record Style(
            List<QuorumSpec> specs, int getPercent, int deletePercent, int conditionalPercent) {}

    /**
     * Draws the next request.
     *
     * @param millis the time since the beginning
     * @param value a value that no earlier PUT had
     * @param seen the last value of each key that clients have seen
     */
    ClientRequest next(SplittableRandom random, long millis, String value, SeenValues seen) {
        long window = millis / windowMillis;
        Style style = style(window);
        int dice = random.nextInt(100);
        if (dice < LASTING_PERCENT) {
            String key = prefix + "lasting-" + random.nextInt(LASTING_KEYS);
            return nextRequest(random, style, key, majority, value, seen);
        }
        if (dice < LASTING_PERCENT + EARLIER_PERCENT && window > 0) {
            String key = key(random.nextLong(window), random.nextInt(keysPerWindow));
            return new ClientRequest(key, new Action.Get(), majority);
        }
        return nextRequest(
                random,
                style,
                key(window, random.nextInt(keysPerWindow)),
                style.specs.get(random.nextInt(style.specs.size())),
                value,
                seen);
    }

    private ClientRequest nextRequest(
            SplittableRandom random,
            Style style,
            String key,
            QuorumSpec spec,
            String value,
            SeenValues seen) {
        int dice = random.nextInt(100);
        if (dice < style.getPercent) {
            return new ClientRequest(key, new Action.Get(), spec);
        }
        boolean isDelete = dice < style.getPercent + style.deletePercent;
        boolean isConditional =
                spec.equals(majority) && random.nextInt(100) < style.conditionalPercent;
        SeenValues.Seen last = isConditional ? seen.of(key) : null;
        HistoryCondition condition =
                isConditional ? SeenValues.condition(random, last) : HistoryCondition.NONE;
        return new ClientRequest(
                key,
                isDelete ? new Action.Delete(condition) : new Action.Put(value, condition),
                spec,
                last != null && condition instanceof HistoryCondition.Is ? last.version() : "",
                "");
    }

    /** All keys used up to a time. */
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

    /** Only majorities are linearizable. */
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
