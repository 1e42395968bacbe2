package dev.quorate.router.runtime;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The work of a selector's thread between two waits: it serves every connection that has become
 * ready, one after the other.
 *
 * <p>Some work costs the same for one request as for many: sending an exchange to a peer, or waking
 * the log. Such work is deferred to the end of the turn, so that it covers the requests of all
 * connections. Otherwise, the first of several requests that arrive together would be sent alone,
 * and the others would wait for its answer. No timer is involved.
 */
public abstract class Turn {

    private static final ThreadLocal<@Nullable Turn> CURRENT = new ThreadLocal<>();

    /**
     * Runs work at the end of this thread's turn, on this thread; at once if the thread has no
     * turns. A caller that waits for the work must not block this thread.
     */
    public static void atEnd(Runnable work) {
        Turn turn = CURRENT.get();
        if (turn == null) {
            work.run();
        } else {
            turn.defer(work);
        }
    }

    /**
     * Runs work, and defers its {@link #atEnd} work until after it, to the end of this thread's
     * turn. For many operations of one request, also on threads whose turns defer nothing.
     */
    public static void together(Runnable work) {
        Turn outer = CURRENT.get();
        Together together = new Together();
        CURRENT.set(together);
        try {
            work.run();
        } finally {
            CURRENT.set(outer);
        }
        together.deferred.forEach(Turn::atEnd);
    }

    /** Makes this the turn of the calling thread, for the life of the thread. */
    public final void begin() {
        CURRENT.set(this);
    }

    /** Runs the work at the end of the turn, or at once. Called on the turn's thread. */
    protected abstract void defer(Runnable work);

    private static final class Together extends Turn {

        private final List<Runnable> deferred = new ArrayList<>();

        @Override
        protected void defer(Runnable work) {
            deferred.add(work);
        }
    }
}
