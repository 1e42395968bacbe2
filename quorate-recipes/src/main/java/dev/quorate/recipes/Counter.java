package dev.quorate.recipes;

import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.WriteOptions;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A number that many clients change. Each addition that returns has been made once; one that ends
 * with {@code OutcomeUnknownException} at most once. Each is a read and a write of one key, so a
 * counter takes some hundred additions a second. Thread-safe.
 */
public final class Counter {

    private final QuorateClient client;
    private final Key key;

    /**
     * @param key has the number as text; 0 if it has no value
     */
    public Counter(QuorateClient client, String key) {
        this.client = client;
        this.key = Key.of(key);
    }

    /**
     * Adds a number, which may be negative.
     *
     * @return the sum
     * @throws dev.quorate.client.QuorateException as {@code QuorateClient.update}
     * @throws NumberFormatException if the value of the key is not a number
     * @throws ArithmeticException if the sum does not fit into 64 bits; nothing is written
     */
    public long add(long delta) {
        return number(
                client.update(
                        key,
                        found -> Optional.of(bytes(Math.addExact(number(found), delta))),
                        WriteOptions.DEFAULT));
    }

    /** The number, with all additions that returned before. */
    public long get() {
        return number(client.get(key, ReadOptions.DEFAULT.linearizable()));
    }

    private static long number(Optional<Entry> entry) {
        return entry.map(Entry::text).map(Long::parseLong).orElse(0L);
    }

    private static byte[] bytes(long number) {
        return String.valueOf(number).getBytes(StandardCharsets.UTF_8);
    }
}
