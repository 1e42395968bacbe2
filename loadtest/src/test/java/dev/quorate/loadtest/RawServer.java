package dev.quorate.loadtest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Does with each connection what it is told to; until the end of the test it closes none. */
public final class RawServer implements AutoCloseable {

    /** What happens to a connection. */
    @FunctionalInterface
    public interface Handler {
        void handle(Socket socket) throws IOException;
    }

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();
    private final Handler handler;

    public RawServer(Handler handler) throws IOException {
        this.handler = handler;
        Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                accepted.add(socket);
                Thread.ofVirtual().start(() -> handle(socket));
            } catch (IOException closing) {
                return;
            }
        }
    }

    private void handle(Socket socket) {
        try {
            handler.handle(socket);
        } catch (IOException gone) {
            // The client has ended it, which the test will have seen.
        }
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : accepted) {
            socket.close();
        }
    }
}
