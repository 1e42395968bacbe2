package dev.quorate.node.coordinator;

import dev.quorate.node.conditional.Current;
import dev.quorate.node.conditional.Lead;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that this node wrote last by conditional writes, and under which ballot; and those that
 * several write at once.
 */
final class Leads {

    /** The most keys; the one not written for the longest time is dropped. */
    static final int MAX_KEYS = 4_096;

    private static final byte[] NOT_KEPT = {};

    /** A lead, and when it ends, in {@code Ticker.nanos} time. */
    record Kept(Lead lead, long untilNanos) {}

    private final Map<ByteBuffer, Kept> leads = new BoundedMap<>(MAX_KEYS);

    /** Until when each key counts as contended, in {@code Ticker.nanos} time. */
    private final Map<ByteBuffer, Long> contended = new BoundedMap<>(MAX_KEYS);

    /** Notes that several write a key at once. */
    synchronized void contend(byte[] key, long untilNanos) {
        contended.put(ByteBuffer.wrap(key), untilNanos);
    }

    synchronized boolean isContended(byte[] key, long nowNanos) {
        Long until = contended.get(ByteBuffer.wrap(key));
        return until != null && nowNanos - until < 0;
    }

    /**
     * Takes the lead of a key: whoever has taken it returns it if the write succeeds.
     *
     * @return null for none, or one that was kept for too long
     */
    synchronized @Nullable Kept take(byte[] key, long nowNanos) {
        Kept kept = leads.remove(ByteBuffer.wrap(key));
        return kept == null || nowNanos - kept.untilNanos() > 0 ? null : kept;
    }

    /** Returns a lead that was not used. */
    synchronized void giveBack(byte[] key, Kept unused) {
        leads.put(ByteBuffer.wrap(key), unused);
    }

    /**
     * Keeps a lead, without the value: nobody asks for it.
     *
     * @param untilNanos the end of the longest exchange that began with it, in {@code Ticker.nanos}
     *     time
     */
    synchronized void keep(byte[] key, Lead lead, long untilNanos) {
        Current current = lead.current();
        Current bare =
                new Current(
                        current.version(),
                        current.value() == null ? null : NOT_KEPT,
                        current.expiresAtMillis(),
                        current.from(),
                        current.contentType());
        leads.put(ByteBuffer.wrap(key), new Kept(new Lead(lead.ballot(), bare), untilNanos));
    }
}
