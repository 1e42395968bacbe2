package dev.quorate.node.handoff;

import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.storage.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends a target's hints, page by page in the order of their keys, a few at a time. What fails is
 * passed over, so that one hint that always fails does not stand before the others, and comes again
 * when the walk has gone round.
 *
 * <p>The lock guards every field that changes; nothing is called under it.
 */
final class Replay implements HintReader.PageTaker {

    private static final int MAX_IN_FLIGHT = 16;
    private static final int PAGE_BYTES = 64 << 10;
    private static final long FIRST_BACKOFF_NANOS = 1_000_000_000L;
    private static final long MAX_BACKOFF_NANOS = 60_000_000_000L;

    private final Handoff handoff;
    private final Target target;
    private final byte[] start;
    private final byte[] end;

    private boolean running;

    /** Whether there may be hints that nobody has counted. */
    private boolean unsure;

    private boolean wasUp;
    private long notBeforeNanos;
    private long backoffNanos;

    /** Where the next page begins. */
    private byte[] position;

    private boolean atStart = true;

    /** Whether this round, which began at the first key, has sent everything so far. */
    private boolean complete;

    private long addedBefore;

    private List<Entry> page = List.of();
    private byte @Nullable [] next;
    private int sent;
    private int inFlight;
    private int failures;
    private long pageBytes;
    private boolean sending;

    Replay(Handoff handoff, Target target) {
        this.handoff = handoff;
        this.target = target;
        this.start = HintCodec.start(target.name());
        this.end = HintCodec.end(target.name());
        this.position = start;
    }

    /** The store has just been opened: there may be hints of an earlier life. */
    synchronized void lookForOld() {
        unsure = true;
    }

    /**
     * Begins, or goes on, if there is something to send and the target is there for long enough.
     *
     * @param delayNanos how long to wait if it has just come back, so that not all nodes begin to
     *     send at once
     */
    void look(long nowNanos, long delayNanos) {
        boolean isUp = target.isUp().getAsBoolean();
        synchronized (this) {
            if (!isUp) {
                wasUp = false;
                return;
            }
            if (!wasUp) {
                wasUp = true;
                backoffNanos = 0;
                notBeforeNanos = nowNanos + delayNanos;
            }
            boolean nothing = !unsure && !target.hasHints();
            if (running || nothing || nowNanos - notBeforeNanos < 0) {
                return;
            }
            running = true;
            if (atStart) {
                complete = true;
                addedBefore = target.added().get();
            }
        }
        read();
    }

    private void read() {
        byte[] from;
        synchronized (this) {
            from = position;
        }
        handoff.reader().read(from, end, PAGE_BYTES, this);
    }

    @Override
    public void page(List<Entry> hints, byte @Nullable [] following) {
        synchronized (this) {
            page = hints;
            next = following;
            sent = 0;
            failures = 0;
            pageBytes = 0;
        }
        send();
    }

    @Override
    public void unavailable() {
        backOff();
    }

    /**
     * Sends what may be sent now. Answers may come before the question has returned: then the
     * outermost call goes on, and not one within the other.
     */
    private void send() {
        synchronized (this) {
            if (sending) {
                return;
            }
            sending = true;
        }
        while (true) {
            Entry hint;
            synchronized (this) {
                if (sent >= page.size() || inFlight >= MAX_IN_FLIGHT) {
                    sending = false;
                    if (inFlight > 0) {
                        return;
                    }
                    break;
                }
                hint = page.get(sent++);
                pageBytes += HintCodec.sizeOf(hint);
                inFlight++;
            }
            sendOne(hint);
        }
        pageDone();
    }

    private void sendOne(Entry hint) {
        Entry write = handoff.writeToSend(target, hint);
        if (write == null) {
            ended(true);
            return;
        }
        target.replica()
                .ask(
                        new ReplicaRequest.Write(write),
                        handoff.deadlineNanos(),
                        answer -> answered(hint, answer));
    }

    private void answered(Entry hint, ReplicaAnswer answer) {
        boolean stored = answer instanceof ReplicaAnswer.Stored;
        if (stored) {
            target.stored().increment();
            handoff.remove(target, hint);
        } else {
            target.failed().increment();
        }
        ended(stored);
    }

    private void ended(boolean done) {
        synchronized (this) {
            inFlight--;
            if (!done) {
                failures++;
            }
        }
        send();
    }

    private void pageDone() {
        long bytes;
        boolean failed;
        boolean atEnd;
        synchronized (this) {
            failed = failures > 0;
            complete &= !failed;
            bytes = pageBytes;
            atEnd = next == null;
            page = List.of();
            position = next == null ? start : next;
            atStart = atEnd;
            if (atEnd && complete) {
                target.counted(0, addedBefore);
                unsure = false;
            }
            if (atEnd && !failed) {
                running = false;
                backoffNanos = 0;
            }
        }
        if (failed) {
            backOff();
        } else if (!atEnd) {
            handoff.continueAfter(bytes, this::read);
        }
    }

    private void backOff() {
        long now = handoff.nowNanos();
        long spread = handoff.random(FIRST_BACKOFF_NANOS);
        synchronized (this) {
            backoffNanos = Math.clamp(2 * backoffNanos, FIRST_BACKOFF_NANOS, MAX_BACKOFF_NANOS);
            notBeforeNanos = now + backoffNanos + spread;
            running = false;
        }
    }
}
