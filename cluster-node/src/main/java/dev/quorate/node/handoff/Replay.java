package dev.quorate.node.handoff;

import dev.quorate.router.background.Backoff;
import dev.quorate.router.background.Job;
import dev.quorate.router.background.Step;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.storage.Entry;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends a target's hints, page by page in the order of their keys, a few at a time. A hint that
 * fails is skipped, so that it does not block the others, and is retried in the next round. After a
 * page with failures, replay pauses until a {@link #check} that the back-off allows.
 */
final class Replay implements Job<Entry> {

    static final int MAX_IN_FLIGHT = 16;
    static final int PAGE_BYTES = 64 << 10;
    static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
    static final Duration LONGEST_BACKOFF = Duration.ofSeconds(60);

    /**
     * All nodes see a target return at the same time; each begins to send at a random moment within
     * this time.
     */
    static final Duration MAX_DELAY = Duration.ofSeconds(3);

    /** The hints of the target, on this node's disk. */
    interface Hints {

        /** The next page of hints to send; null if it cannot be read now. Waits for the disk. */
        HintReader.@Nullable Page read(byte[] start, byte[] end, int maxBytes);

        /** The write in a hint; null if it was dropped. */
        @Nullable Entry writeToSend(Entry hint);

        /** The target has stored the write of a hint. */
        void delivered(Entry hint);
    }

    private final Target target;
    private final Hints hints;
    private final byte[] start;
    private final byte[] end;
    private final Backoff backoff = new Backoff(FIRST_BACKOFF, LONGEST_BACKOFF);

    private boolean running;

    /** Whether uncounted hints may exist. */
    private boolean unsure;

    private boolean wasUp;
    private long notBeforeNanos;

    /** The start of the next page. */
    private byte[] position;

    private boolean atStart = true;

    /** Whether this round, which began at the first key, has sent everything so far. */
    private boolean complete;

    private long addedBefore;

    private HintReader.@Nullable Page page;
    private int sent;
    private int inFlight;
    private int failures;

    Replay(Target target, Hints hints) {
        this.target = target;
        this.hints = hints;
        this.start = HintCodec.start(target.name());
        this.end = HintCodec.end(target.name());
        this.position = start;
    }

    /** Records that hints from before a restart may exist. */
    void mayHaveOldHints() {
        unsure = true;
    }

    /** Whether nothing changes until a hint is stored or the target's state changes. */
    boolean isIdle() {
        return wasUp && !unsure && !running && !target.hasHints();
    }

    /**
     * Begins or continues if hints exist and the target has been up for long enough.
     *
     * @param spread from 0 to 1: the part of {@link #MAX_DELAY} after which this node begins
     */
    void check(long nowNanos, boolean isUp, double spread) {
        if (!isUp) {
            wasUp = false;
            return;
        }
        if (!wasUp) {
            wasUp = true;
            backoff.succeeded();
            notBeforeNanos = nowNanos + (long) (MAX_DELAY.toNanos() * spread);
        } else if (backoff.isDue()) {
            notBeforeNanos =
                    nowNanos + backoff.take().toNanos() + (long) (FIRST_BACKOFF.toNanos() * spread);
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

    @Override
    public Step<Entry> next() {
        while (running) {
            HintReader.Page current = page;
            if (current == null) {
                read();
                continue;
            }
            List<Entry> all = current.hints();
            while (sent < all.size() && inFlight < MAX_IN_FLIGHT) {
                Entry hint = all.get(sent++);
                Entry write = hints.writeToSend(hint);
                if (write != null) {
                    inFlight++;
                    return new Step.Ask<>(hint, target.replica(), new ReplicaRequest.Write(write));
                }
            }
            if (inFlight > 0) {
                break;
            }
            endPage(current.next());
        }
        return new Step.Await<>();
    }

    private void read() {
        page = hints.read(position, end, PAGE_BYTES);
        sent = 0;
        failures = 0;
        if (page == null) {
            stop();
        }
    }

    private void stop() {
        running = false;
        backoff.failed();
    }

    private void endPage(byte @Nullable [] next) {
        page = null;
        complete &= failures == 0;
        position = next == null ? start : next;
        atStart = next == null;
        if (atStart && complete) {
            target.counted(0, addedBefore);
            unsure = false;
        }
        if (failures > 0) {
            stop();
        } else if (atStart) {
            running = false;
            backoff.succeeded();
        }
    }

    @Override
    public void answered(Entry hint, ReplicaAnswer answer) {
        inFlight--;
        if (answer instanceof ReplicaAnswer.Stored) {
            target.stored().increment();
            hints.delivered(hint);
        } else {
            target.failed().increment();
            failures++;
        }
    }
}
