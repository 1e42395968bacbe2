package dev.quorate.node.handoff;

import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyValueStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of the store of hints: its phase, the entries that wait for it, and its users. No
 * clock, no disk. Thread-safe: calls no other object with its lock held.
 *
 * <pre>
 *   SHUT ──admit, beginOpening──► OPENING ──opened──► OPEN
 *    ▲                              │                  │ leave, beginDeletion
 *    │◄─────────shut────────────────┘                  ▼
 *    │◄─────────shut, deleted─────────────────────  CLOSING ──deleted──► OPENING, if anything waits
 *
 *   any ──close──► CLOSED
 * </pre>
 */
final class HintStoreState {

    private static final long MAX_WAITING_BYTES = 1 << 20;

    private enum Phase {
        SHUT,
        OPENING,
        OPEN,
        CLOSING,
        CLOSED
    }

    /**
     * A hint that waits until the store is open.
     *
     * @param completion called once, when it is known whether the hint is stored; on any thread,
     *     must not block
     */
    record Waiting(Entry entry, Consumer<Boolean> completion) {}

    /** The decision about a hint. */
    sealed interface Admission {

        /** The caller must write it to the store, which is in use until {@link #ended}. */
        record Write(KeyValueStore store) implements Admission {}

        /** It is not written now. */
        enum Deferral implements Admission {
            /** It waits while the store is being opened or closed. */
            WAITS,
            /** It waits, and the caller must open the store. */
            OPENS,
            /** Too many hints wait, or no store may be opened now. */
            REFUSED
        }
    }

    private Phase phase = Phase.SHUT;

    /** Null unless the store is open. */
    private @Nullable KeyValueStore store;

    /** Empty unless the store is being opened or closed. */
    private List<Waiting> waiting = new ArrayList<>();

    private long waitingBytes;
    private int users;
    private long taken;
    private long shutUntilNanos;

    HintStoreState(long nowNanos) {
        shutUntilNanos = nowNanos;
    }

    synchronized Admission admit(Entry entry, Consumer<Boolean> completion, long nowNanos) {
        return switch (phase) {
            case OPEN -> {
                users++;
                taken++;
                yield new Admission.Write(open());
            }
            case OPENING, CLOSING ->
                    addWaiting(entry, completion)
                            ? Admission.Deferral.WAITS
                            : Admission.Deferral.REFUSED;
            case SHUT -> {
                if (isSuspended(nowNanos) || !addWaiting(entry, completion)) {
                    yield Admission.Deferral.REFUSED;
                }
                phase = Phase.OPENING;
                yield Admission.Deferral.OPENS;
            }
            case CLOSED -> Admission.Deferral.REFUSED;
        };
    }

    private KeyValueStore open() {
        KeyValueStore open = store;
        if (open == null) {
            throw new IllegalStateException("the store is not open");
        }
        return open;
    }

    private boolean addWaiting(Entry entry, Consumer<Boolean> completion) {
        long bytes = HintCodec.sizeOf(entry);
        if (!waiting.isEmpty() && waitingBytes + bytes > MAX_WAITING_BYTES) {
            return false;
        }
        waiting.add(new Waiting(entry, completion));
        waitingBytes += bytes;
        return true;
    }

    private List<Waiting> removeWaiting() {
        List<Waiting> all = waiting;
        waiting = new ArrayList<>();
        waitingBytes = 0;
        return all;
    }

    /** Whether no store is open or being opened, and one may be opened now. */
    synchronized boolean mayOpen(long nowNanos) {
        return phase == Phase.SHUT && !isSuspended(nowNanos);
    }

    private boolean isSuspended(long nowNanos) {
        return nowNanos - shutUntilNanos < 0;
    }

    /** Whether the caller must open the store. */
    synchronized boolean beginOpening() {
        if (phase != Phase.SHUT) {
            return false;
        }
        phase = Phase.OPENING;
        return true;
    }

    /**
     * Records that the store is open.
     *
     * @return the hints that waited for it, each of which uses the store until {@link #ended}; null
     *     if the state was closed meanwhile, and the caller must close the store
     */
    synchronized @Nullable List<Waiting> opened(KeyValueStore opened) {
        if (phase == Phase.CLOSED) {
            return null;
        }
        store = opened;
        phase = Phase.OPEN;
        List<Waiting> due = removeWaiting();
        users += due.size();
        taken += due.size();
        return due;
    }

    /**
     * Opens no store until {@code untilNanos}.
     *
     * @return the hints that waited; the caller must refuse them
     */
    synchronized List<Waiting> suspend(long untilNanos) {
        if (phase == Phase.CLOSED) {
            return List.of();
        }
        phase = Phase.SHUT;
        shutUntilNanos = untilNanos;
        return removeWaiting();
    }

    /** Whether this store is the open one; then the caller must close it. */
    @SuppressWarnings("ReferenceEquality") // The same store, not an equal one.
    synchronized boolean abandonStore(KeyValueStore broken) {
        if (phase != Phase.OPEN || store != broken) {
            return false;
        }
        phase = Phase.CLOSING;
        store = null;
        return true;
    }

    /** The store, if unused and unchanged since; then the caller must close and delete it. */
    synchronized @Nullable KeyValueStore beginDeletion(long takenBefore) {
        if (phase != Phase.OPEN || users > 0 || taken != takenBefore) {
            return null;
        }
        KeyValueStore unused = open();
        phase = Phase.CLOSING;
        store = null;
        return unused;
    }

    /** Records the deletion. True if hints wait, so that the caller must open a new store. */
    synchronized boolean deleted() {
        if (phase != Phase.CLOSING) {
            return false;
        }
        boolean reopen = !waiting.isEmpty();
        phase = reopen ? Phase.OPENING : Phase.SHUT;
        return reopen;
    }

    synchronized boolean isOpen() {
        return phase == Phase.OPEN;
    }

    synchronized boolean isShut() {
        return phase == Phase.SHUT;
    }

    /** The store, which is not deleted until {@link #ended}; null if none is open. */
    synchronized @Nullable KeyValueStore use() {
        users += store == null ? 0 : 1;
        return store;
    }

    /** Ends a {@link #use} of the store. */
    synchronized void ended() {
        users--;
    }

    /** Number of entries ever accepted. */
    synchronized long acceptedCount() {
        return taken;
    }

    /**
     * Closes permanently.
     *
     * @return the store, which the caller must close; null if none is open
     */
    synchronized @Nullable KeyValueStore close() {
        KeyValueStore open = store;
        store = null;
        phase = Phase.CLOSED;
        return open;
    }

    /** After {@link #close}: the hints that waited; the caller must refuse them. */
    synchronized List<Waiting> refused() {
        return removeWaiting();
    }
}
