package dev.quorate.node.http.connection;

import dev.quorate.node.http.budget.WaitingInput;
import dev.quorate.node.http.connection.ListenerStatistics.Rejection;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import one.nio.net.Session;
import one.nio.net.Socket;

/**
 * The lock of a connection, and what it guards: the state, the buffers and the socket. {@link
 * HttpConnection} explains who locks when. Every method except {@link #handOver} is called with the
 * lock held.
 */
final class ConnectionCore {

    /** A lock that is also a resource: {@code try (var _ = lock.held())}. */
    static final class Lock extends ReentrantLock implements AutoCloseable {

        Lock held() {
            lock();
            return this;
        }

        @Override
        public void close() {
            unlock();
        }
    }

    final ListenerContext context;
    final SelectorTasks tasks;
    final Session session;
    final Lock lock = new Lock();
    final ConnectionState state;
    final Wire wire;
    final Output output;
    final WaitingInput waiting;
    final ConnectionTimes times;
    private final TlsWire.Owner owner;

    /** Whether a read is planned that no event of the socket triggers. */
    boolean isReadPlanned;

    ConnectionCore(
            Session session, ListenerContext context, SelectorTasks tasks, TlsWire.Owner owner) {
        this.session = session;
        this.context = context;
        this.tasks = tasks;
        this.owner = owner;
        long provingNanos = context.limits.connections().provingTime().toNanos();
        state = new ConnectionState(context.strangers == null, context.sweptAtNanos + provingNanos);
        wire =
                context.tls == null
                        ? new PlainWire(session.socket())
                        : new TlsWire(session.socket(), context.tls, owner);
        output = new Output(context, wire);
        waiting = new WaitingInput(context.bodies, context.beforeRoom);
        times = new ConnectionTimes(context.limits.deadlines(), context.sweptAtNanos);
    }

    /**
     * Hands work to the selector's thread, because another thread has the lock. A client may cause
     * that, and the threads of the timer and of completed operations serve all clients.
     *
     * @return false if the selector's thread has ended: then the caller has the lock
     */
    boolean handOver(Runnable rest) {
        if (tasks.later(rest)) {
            return true;
        }
        lock.lock(); // The listener is closed.
        return false;
    }

    /** Sends output, and sets the events that the selector watches. */
    void sendAndListen() {
        if (state.isOver()) {
            return;
        }
        try {
            long sent = output.write();
            if (sent > 0) {
                context.statistics.bytesWritten.add(sent);
            }
            times.onRead(sent, output.isEmpty(), context.sweptAtNanos);
        } catch (IOException e) {
            state.fail();
            return;
        }
        if (!output.holdsWhatWaits()) {
            reset(Rejection.BYTES);
            return;
        }
        switch (state.sent(output.unsentBytes())) {
            case GO_ON -> {}
            case END_OUTPUT -> {
                wire.endOutput();
                SocketCalls.shutdownOutput(session.socket());
                times.lingering(context.sweptAtNanos);
            }
            case RESET -> SocketCalls.reset(session.socket());
        }
        boolean reads = state.listensForInput(output.unsentBytes(), waiting.isPresent());
        session.listen(
                (reads && !wire.isPaused() ? Session.READABLE : 0)
                        | (output.isEmpty() ? 0 : Session.WRITEABLE));
        if (reads && !isReadPlanned && wire.hasInput()) {
            isReadPlanned = true;
            owner.resume();
        }
    }

    /** Resets the connection of a client that does not read or is too slow, and counts it. */
    void reset(Rejection why) {
        context.statistics.reject(why);
        // Otherwise the kernel would keep its buffer for a client that does not read.
        SocketCalls.reset(session.socket());
        state.fail();
    }

    /** Transfers bytes without encryption. */
    private record PlainWire(Socket socket) implements Wire {

        @Override
        public int read(byte[] buffer, int most) throws IOException {
            return Math.max(socket.read(buffer, 0, most, 0), 0);
        }

        @Override
        public int discard(byte[] buffer) throws IOException {
            return read(buffer, buffer.length);
        }

        @Override
        public int write(byte[] bytes, int from, int count, int flags) throws IOException {
            return socket.write(bytes, from, count, flags);
        }

        @Override
        public void flush() {}

        @Override
        public long unsentBytes() {
            return 0;
        }

        @Override
        public boolean hasInput() {
            return false;
        }

        @Override
        public boolean isPaused() {
            return false;
        }

        @Override
        public void endOutput() {}

        @Override
        public void release() {}
    }
}
