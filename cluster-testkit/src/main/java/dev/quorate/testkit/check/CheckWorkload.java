package dev.quorate.testkit.check;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What clients ask.
 *
 * <p>Time is divided into windows. Each window has a few keys, so that clients contend for them,
 * and quorums drawn from the seed. A few more keys are used all the time. Occasionally a client
 * reads a key of an earlier window. So the histories of single keys stay short, and old writes are
 * checked too.
 */
final class CheckWorkload {

    /** Keys that are used in all windows. */
    private static final int LASTING_KEYS = 4;

    private static final int LASTING_PERCENT = 10;
    private static final int EARLIER_PERCENT = 5;

    /** One request of one client. */
    record Wish(String key, Action action, QuorumSpec spec) {}

    /** The quorums of a window. */
    private record Style(List<QuorumSpec> specs, int getPercent, int deletePercent) {}

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
     */
    Wish next(SplittableRandom random, long millis, String value) {
        long window = millis / windowMillis;
        Style style = style(window);
        int dice = random.nextInt(100);
        if (dice < LASTING_PERCENT) {
            String key = prefix + "lasting-" + random.nextInt(LASTING_KEYS);
            return new Wish(key, action(random, style, value), majority);
        }
        if (dice < LASTING_PERCENT + EARLIER_PERCENT && window > 0) {
            String key = key(random.nextLong(window), random.nextInt(keysPerWindow));
            return new Wish(key, new Action.Get(), majority);
        }
        return new Wish(
                key(window, random.nextInt(keysPerWindow)),
                action(random, style, value),
                style.specs.get(random.nextInt(style.specs.size())));
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

    private static Action action(SplittableRandom random, Style style, String value) {
        int dice = random.nextInt(100);
        if (dice < style.getPercent) {
            return new Action.Get();
        }
        return dice < style.getPercent + style.deletePercent
                ? new Action.Delete()
                : new Action.Put(value);
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
        return new Style(specs, 20 + random.nextInt(60), random.nextInt(20));
    }
}
