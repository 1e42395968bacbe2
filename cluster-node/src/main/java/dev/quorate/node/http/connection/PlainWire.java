package dev.quorate.node.http.connection;

import java.io.IOException;
import one.nio.net.Socket;

/** Transfers bytes without encryption. */
record PlainWire(Socket socket) implements Wire {

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
