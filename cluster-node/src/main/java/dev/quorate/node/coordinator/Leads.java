package dev.quorate.node.coordinator;

import dev.quorate.node.conditional.Current;
import dev.quorate.node.conditional.Lead;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keys that this node wrote last by conditional writes, and under which ballot. */
final class Leads {

    /** The most keys; the one not written for the longest time is dropped. */
    static final int MAX_KEYS = 10_000;

    private static final byte[] NOT_KEPT = {};

    private final Map<ByteBuffer, Lead> leads =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Lead> eldest) {
                    return size() > MAX_KEYS;
                }
            };

    /** Takes the lead of a key: whoever has taken it returns it if the write succeeds. */
    synchronized @Nullable Lead take(byte[] key) {
        return leads.remove(ByteBuffer.wrap(key));
    }

    /** Keeps a lead, without the value: nobody asks for it. */
    synchronized void keep(byte[] key, Lead lead) {
        Current current = lead.current();
        Current bare =
                new Current(
                        current.version(),
                        current.value() == null ? null : NOT_KEPT,
                        current.expiresAtMillis(),
                        current.from());
        leads.put(ByteBuffer.wrap(key), new Lead(lead.ballot(), bare));
    }
}
