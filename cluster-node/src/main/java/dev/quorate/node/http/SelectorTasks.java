package dev.quorate.node.http;

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
 * What other threads want a selector's thread to do, and what wakes it up for that, which one-nio
 * has nothing for: a datagram socket that is never used. It can always be written to, so that to
 * listen for that returns the selector from its sleep, by one cheap call and without a byte being
 * sent.
 */
final class SelectorTasks extends Session {

    private static final Logger LOG = LoggerFactory.getLogger(SelectorTasks.class);
    private static final int NOTHING = 0;

    private final SelectorThread thread;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Whether the selector has been told, and has not begun to look yet. */
    private final AtomicBoolean woken = new AtomicBoolean();

    /** Guarded by this: another socket may have the descriptor once this one is closed. */
    private boolean closed;

    private SelectorTasks(Socket socket, SelectorThread thread) {
        super(socket, NOTHING);
        this.thread = thread;
    }

    /** Registers with a selector. */
    static SelectorTasks of(SelectorThread thread) throws IOException {
        Socket socket = Socket.createDatagramSocket();
        socket.setBlocking(false);
        SelectorTasks tasks = new SelectorTasks(socket, thread);
        thread.selector.register(tasks);
        return tasks;
    }

    /**
     * Has the selector's thread do something soon; this thread, if it is that or that has ended.
     */
    void execute(Runnable task) {
        if (Thread.currentThread() == thread) {
            task.run();
            return;
        }
        tasks.add(task);
        if (woken.compareAndSet(false, true) && !listenFor(WRITEABLE)) {
            woken.set(false);
            runAll();
        }
    }

    /** Returns false if it is closed. */
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
        // Before looking: what is added afterwards wakes the selector again.
        woken.set(false);
        runAll();
    }

    private void runAll() {
        Runnable task = tasks.poll();
        while (task != null) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                // A bug, but not of those that wait behind.
                LOG.error("A selector's task failed", e);
            }
            task = tasks.poll();
        }
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void close() {
        synchronized (this) {
            closed = true;
            super.close();
        }
        runAll();
    }
}
