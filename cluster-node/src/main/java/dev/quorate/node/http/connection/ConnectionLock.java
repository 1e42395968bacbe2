package dev.quorate.node.http.connection;

import java.util.concurrent.locks.ReentrantLock;

/** The lock of a connection, as a resource: {@code try (var _ = lock.held())}. */
final class ConnectionLock extends ReentrantLock implements AutoCloseable {

    private static final long serialVersionUID = 1;

    ConnectionLock held() {
        lock();
        return this;
    }

    @Override
    public void close() {
        unlock();
    }
}
