package dev.quorate.storage.engine;

import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** Writes with a future for the outcome. */
public final class Writes {

    private Writes() {}

    static CompletableFuture<Timestamp> put(
            KeyValueStore store, String key, long clock, String value) {
        return put(store, key, clock, bytes(value));
    }

    static CompletableFuture<Timestamp> put(
            KeyValueStore store, String key, long clock, byte[] value) {
        return write(store, Entry.value(bytes(key), new Timestamp(clock, 1), value, 3));
    }

    static CompletableFuture<Timestamp> delete(KeyValueStore store, String key, long clock) {
        return write(store, Entry.tombstone(bytes(key), new Timestamp(clock, 1), 3));
    }

    public static CompletableFuture<Timestamp> write(KeyValueStore store, Entry entry) {
        Outcome outcome = new Outcome();
        store.write(entry, outcome);
        return outcome;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static final class Outcome extends CompletableFuture<Timestamp>
            implements WriteCompletion {

        @Override
        public void stored(Timestamp newest) {
            if (!complete(newest)) {
                throw new AssertionError("completed twice");
            }
        }

        @Override
        public void failed(StorageException cause) {
            if (!completeExceptionally(cause)) {
                throw new AssertionError("completed twice");
            }
        }
    }
}
