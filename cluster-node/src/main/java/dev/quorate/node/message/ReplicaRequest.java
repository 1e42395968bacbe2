package dev.quorate.node.message;

import dev.quorate.storage.Entry;
import org.jspecify.annotations.Nullable;

/** What one replica can be asked. */
public sealed interface ReplicaRequest {

    /** The newest entry of a key. */
    record Read(byte[] key) implements ReplicaRequest {}

    /** Keep this entry, durably, unless a newer one is held. Idempotent. */
    record Write(Entry entry) implements ReplicaRequest {}

    /**
     * The next entries, tombstones included, from {@code start} (included) to {@code end} (not
     * included; null for no end), at most about {@code maxBytes} of keys and values, and at least
     * one entry if there is any.
     */
    record ScanPage(byte[] start, byte @Nullable [] end, int maxBytes) implements ReplicaRequest {}
}
