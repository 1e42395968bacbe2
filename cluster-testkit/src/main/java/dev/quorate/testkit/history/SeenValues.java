package dev.quorate.testkit.history;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The last value of each key that clients have seen, for their conditions. Thread-safe. */
public final class SeenValues {

    /** One condition in this many requires any value, and one requires no value. */
    private static final int CONDITIONS = 8;

    public record Seen(String value, String version) {}

    private final Map<String, Seen> values = new ConcurrentHashMap<>();

    /** The last value of a key; null if it had none, or none is known. */
    public @Nullable Seen of(String key) {
        return values.get(key);
    }

    /** Draws a condition, mostly that the key has the value that was seen last. */
    public static HistoryCondition condition(SplittableRandom random, @Nullable Seen last) {
        return switch (random.nextInt(CONDITIONS)) {
            case 0 -> new HistoryCondition.Present();
            case 1 -> new HistoryCondition.Absent();
            default ->
                    last == null
                            ? new HistoryCondition.Absent()
                            : new HistoryCondition.Is(last.value());
        };
    }

    public void note(String key, Action action, Answer answer) {
        switch (answer) {
            case Answer.Value(String value, String version) -> put(key, value, version);
            case Answer.Stored(String version) -> {
                if (action instanceof Action.Put(String value, _)) {
                    put(key, value, version);
                }
            }
            case Answer.Deleted(_), Answer.Absent() -> values.remove(key);
            case Answer.Unmet(_), Answer.Indeterminate(_), Answer.Refused(_) -> {}
        }
    }

    private void put(String key, String value, String version) {
        if (!version.isEmpty()) {
            values.put(key, new Seen(value, version));
        }
    }
}
