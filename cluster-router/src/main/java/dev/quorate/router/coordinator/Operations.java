package dev.quorate.router.coordinator;

import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.range.ScanRange;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.range.ScanStream;
import dev.quorate.router.coordinator.waiting.Waits;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The operations of the cluster, through one node. No call blocks. */
public interface Operations {

    void read(byte[] key, QuorumSpec spec, OutcomeCallback callback);

    /** Waits for changes of keys, or below prefixes. */
    default Waits waits() {
        throw new UnsupportedOperationException("nothing is waited for here");
    }

    /**
     * Stores a value, or deletes the key, whether it exists or not.
     *
     * @param value null deletes
     * @param version null for a new write; the version of an earlier attempt for a retry, which is
     *     idempotent and never supersedes a newer entry
     * @param isLinearizable whether the key is to be an atomic register: its reads at a majority
     *     and its writes of this kind, with the same {@code from}, take effect at one instant each.
     *     Needs a majority
     */
    void write(
            byte[] key,
            @Nullable NewValue value,
            @Nullable Timestamp version,
            QuorumSpec spec,
            boolean isLinearizable,
            OutcomeCallback callback);

    /**
     * Stores a value, or deletes the key, if a condition holds: atomic with all other conditional
     * writes of the key, and linearizable with linearizable writes and reads. Needs a majority.
     *
     * @param value null deletes
     * @param version null for a new write; the version of an earlier attempt for a retry, which
     *     finishes that attempt and returns its outcome
     */
    void writeIf(
            byte[] key,
            @Nullable NewValue value,
            Condition condition,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback);

    /**
     * Writes a live value again with another expiry if its version is unchanged. Needs a majority.
     *
     * @param timeToLive from now on; null for no expiry
     * @param version the version that the value must have; null for any
     */
    void renew(
            byte[] key,
            @Nullable Duration timeToLive,
            @Nullable Timestamp version,
            QuorumSpec spec,
            OutcomeCallback callback);

    /**
     * The live entries of a range.
     *
     * @param trace the trace of the client's request, sent to the replicas; null if it has none
     */
    ScanStream scan(ScanRange range, QuorumSpec spec, ScanScope scope, @Nullable TraceParent trace);

    /** The same in ascending order, without a trace. */
    default ScanStream scan(byte[] start, byte @Nullable [] end, QuorumSpec spec, ScanScope scope) {
        return scan(new ScanRange(start, end, KeyOrder.ASCENDING, false), spec, scope, null);
    }

    /**
     * Whether a read or a write that arrives now would be refused because of overload; if so, it
     * counts as refused. Checked before a request is processed, so that a refusal costs little.
     */
    default boolean refusesNow(boolean isWrite) {
        return false;
    }

    /**
     * Runs work soon, once a read or a write would not be refused because of overload. Work runs in
     * the order of arrival; the caller limits how much of it waits.
     */
    void whenRoom(boolean isWrite, Runnable work);
}
