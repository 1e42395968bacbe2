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
 * <p>Time is cut into windows. Each has a few keys of its own, so that clients meet on them, and
 * ways of its own to ask, drawn from the seed. A few more keys are used all the time. Now and then
 * a key of an earlier window is read. So histories of single keys stay short, and what was written
 * long ago is looked at, too.
 */
final class Workload {

    /** Keys that are used from the beginning to the end. */
    private static final int LASTING_KEYS = 4;

    private static final int LASTING_PERCENT = 10;
    private static final int EARLIER_PERCENT = 5;

    /** What one client asks for once. */
    record Wish(String key, Action action, QuorumSpec spec) {}

    /** How clients ask during a window. */
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
     * @param prefix of all its keys, which nobody has used before
     * @param from how many replicas a key has
     * @param promise that the history will be held against
     */
    Workload(
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
     * The next thing.
     *
     * @param millis since the beginning
     * @param value that no PUT has had
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

    /** All keys that were used until then. */
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

    /** Linearizability is promised of majorities alone, if at all. */
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
