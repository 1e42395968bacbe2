package dev.quorate.testkit.check;

import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What clients have seen last of each key: what their conditions name. Thread-safe. */
final class SeenValues {

    /** A value and its version. */
    record Seen(String value, String version) {}

    private final Map<String, Seen> values = new ConcurrentHashMap<>();

    /** Null if the key had no value, or nothing is known. */
    @Nullable Seen of(String key) {
        return values.get(key);
    }

    void note(String key, Action action, Answer answer) {
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
