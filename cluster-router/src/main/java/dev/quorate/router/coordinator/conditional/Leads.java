package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Lead;
import dev.quorate.router.coordinator.operation.OwnedKey;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that this node last wrote by conditional writes, with their ballots, and the keys that
 * several clients write at once.
 */
final class Leads {

    private static final byte[] NOT_KEPT = {};

    /**
     * A lead.
     *
     * @param untilNanos when it ends, in {@code Ticker.nanos} time
     * @param epoch the only epoch in which it is one: in another the key may have other owners
     */
    record Kept(Lead lead, long untilNanos, int epoch) {}

    private final Map<OwnedKey, Kept> leads = new BoundedMap<>();

    /** Until when each key counts as contended, in {@code Ticker.nanos} time. */
    private final Map<OwnedKey, Long> contended = new BoundedMap<>();

    /** Notes that several clients write a key at once. */
    synchronized void contend(OwnedKey key, long untilNanos) {
        contended.put(key, untilNanos);
    }

    synchronized boolean isContended(OwnedKey key, long nowNanos) {
        Long until = contended.get(key);
        return until != null && nowNanos - until < 0;
    }

    /**
     * Takes the lead of a key. The write that takes it returns it if it succeeds.
     *
     * @return null if there is none, or if it was kept for too long or in another epoch
     */
    synchronized @Nullable Kept remove(OwnedKey key, long nowNanos, int epoch) {
        Kept kept = leads.remove(key);
        return kept == null || nowNanos - kept.untilNanos() > 0 || kept.epoch() != epoch
                ? null
                : kept;
    }

    /** Returns a lead that was not used. */
    synchronized void restore(OwnedKey key, Kept unused) {
        leads.put(key, unused);
    }

    /**
     * Stores a lead without its value, which is not needed.
     *
     * @param untilNanos the end of the longest exchange that began with it, in {@code Ticker.nanos}
     *     time
     */
    synchronized void store(OwnedKey key, Lead lead, long untilNanos, int epoch) {
        Current current = lead.current();
        Current bare =
                new Current(
                        current.version(),
                        current.value() == null ? null : NOT_KEPT,
                        current.expiresAtMillis(),
                        current.from(),
                        current.contentType());
        leads.put(key, new Kept(new Lead(lead.ballot(), bare), untilNanos, epoch));
    }
}
