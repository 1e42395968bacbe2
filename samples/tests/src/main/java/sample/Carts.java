package sample;

import dev.quorate.client.Condition;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.OutcomeUnknownException;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.WriteOptions;
import dev.quorate.client.WriteResult;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Shopping carts, each a value under its customer's number; goes on while a majority answers. */
public final class Carts {

    private final QuorateClient client;

    /**
     * @param client of the cluster; remains the caller's
     */
    public Carts(QuorateClient client) {
        this.client = client;
    }

    /**
     * Replaces a customer's cart.
     *
     * @throws OutcomeUnknownException if it may have been stored, which is never tried again: that
     *     could replace what the customer has put into the cart since
     * @throws QuorateException if it was not stored
     */
    public void save(int customer, String cart) {
        var _ = client.put(key(customer), bytes(cart), WriteOptions.DEFAULT.repeatable());
    }

    /**
     * Adds a line to a customer's cart, whoever else does so at the same time.
     *
     * @throws QuorateException if it is not known to be stored
     */
    public void add(int customer, String line) {
        WriteResult result;
        do {
            Optional<Entry> now = client.get(key(customer), ReadOptions.DEFAULT);
            String cart = now.map(entry -> entry.text() + "\n").orElse("") + line;
            Condition unchanged =
                    now.map(entry -> Condition.ifMatch(entry.version()))
                            .orElse(Condition.ifAbsent());
            result = client.putIf(key(customer), bytes(cart), unchanged, WriteOptions.DEFAULT);
        } while (result instanceof WriteResult.Unmet);
    }

    /**
     * Finds a customer's cart; empty if there is none.
     *
     * @throws QuorateException if no node could tell
     */
    public Optional<String> find(int customer) {
        return client.get(key(customer), ReadOptions.DEFAULT).map(Entry::text);
    }

    private static Key key(int customer) {
        return Key.of("cart-" + customer);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
