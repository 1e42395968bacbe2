package dev.quorate.node.http.connection;

import dev.quorate.router.runtime.Turn;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import one.nio.net.Session;
import one.nio.net.Socket;
import one.nio.server.SelectorThread;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks of other threads on a selector's thread, and wakes it up for them. one-nio has no
 * wake-up, so this registers an unused datagram socket: it is always writable, so watching it for
 * writes wakes the selector, by one cheap call and without sending a byte.
 */
final class SelectorTasks extends Session {

    private static final Logger LOG = LoggerFactory.getLogger(SelectorTasks.class);
    private static final int NOTHING = 0;

    /** After this many turns with one connection each, work is not deferred. */
    private static final int LONE_TURNS = 8;

    /** One in this many is deferred nevertheless, to detect further connections. */
    private static final int PROBE = 64;

    private final SelectorThread thread;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Work for the end of the turn. Used by the selector's thread, and at the end. */
    private final Queue<Runnable> deferred = new ConcurrentLinkedQueue<>();

    /** Whether the selector was woken, and has not begun to run tasks. */
    private final AtomicBoolean woken = new AtomicBoolean();

    /** Whether the latest turns had one connection each. Written by the selector's thread. */
    private volatile boolean isLone;

    // Used by the selector's thread alone.
    private final Turn turn = new SelectorTurn();
    private boolean hasBegun;
    private boolean isDeferred;
    private int connections;
    private int loneTurns;
    private int undeferred;

    /** Guarded by this: after the close another socket may have the descriptor. */
    private boolean closed;

    private SelectorTasks(Socket socket, SelectorThread thread) {
        super(socket, NOTHING);
        this.thread = thread;
    }

    static SelectorTasks of(SelectorThread thread) throws IOException {
        Socket socket = Socket.createDatagramSocket();
        socket.setBlocking(false);
        SelectorTasks tasks = new SelectorTasks(socket, thread);
        thread.selector.register(tasks);
        return tasks;
    }

    /**
     * Runs a task on the selector's thread soon. Runs it on the calling thread if that is the
     * selector's, if the selector's has ended, or if waking it is not worth it, because hardly any
     * other task is expected.
     */
    void execute(Runnable task) {
        if (Thread.currentThread() == thread || (isLone && !woken.get())) {
            task.run();
            return;
        }
        if (!add(task)) {
            run(tasks, Integer.MAX_VALUE);
        }
    }

    /**
     * Runs a task on the selector's thread soon, but not on the caller's stack: the caller may hold
     * locks. Returns false, and does not run it, if that thread has ended.
     */
    boolean later(Runnable task) {
        return add(task) || !tasks.remove(task);
    }

    /** Adds a task; false if the thread has ended. */
    private boolean add(Runnable task) {
        tasks.add(task);
        return wake();
    }

    private boolean wake() {
        if (woken.compareAndSet(false, true) && !listenFor(WRITEABLE)) {
            woken.set(false);
            return false;
        }
        return true;
    }

    /** Called on the selector's thread before it serves a connection. */
    void serving() {
        if (!hasBegun) {
            hasBegun = true;
            turn.begin();
        }
        connections++;
    }

    /**
     * Ends when the selector has served the connections that are ready, and serves this as one of
     * the next. That costs three calls into the kernel, from which a lone connection gains nothing.
     */
    private final class SelectorTurn extends Turn {

        @Override
        protected void defer(Runnable work) {
            if (isLone && ++undeferred % PROBE != 0) {
                work.run();
                return;
            }
            if (!isDeferred) {
                isDeferred = true;
                connections = 1;
            }
            deferred.add(work);
            if (!wake()) {
                run(deferred, Integer.MAX_VALUE);
            }
        }
    }

    private void endTurn() {
        if (isDeferred) {
            isDeferred = false;
            loneTurns = connections > 1 ? 0 : loneTurns + 1;
            isLone = loneTurns >= LONE_TURNS;
        }
    }

    /** Sets the events to watch; false if this is closed. */
    private synchronized boolean listenFor(int events) {
        if (!closed) {
            selector.listen(this, events);
        }
        return !closed;
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void process(byte[] buffer) {
        listenFor(NOTHING);
        endTurn();
        // Before running tasks: a task that is added afterwards wakes the selector again.
        woken.set(false);
        // Tasks that they add run in the next turn, after the connections that are ready. Work that
        // they defer runs in this turn.
        run(tasks, tasks.size());
        run(deferred, Integer.MAX_VALUE);
    }

    private static void run(Queue<Runnable> queue, int most) {
        for (int i = 0; i < most; i++) {
            Runnable task = queue.poll();
            if (task == null) {
                return;
            }
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                // A bug, which must not affect the other tasks.
                LOG.error("A selector's task failed", e);
            }
        }
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void close() {
        synchronized (this) {
            closed = true;
            super.close();
        }
        run(tasks, Integer.MAX_VALUE);
        run(deferred, Integer.MAX_VALUE);
    }
}
