package dev.quorate.loadtest.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A connection with one outstanding request at a time. Sending a request and reading its answer are
 * one system call each if they fit into the buffers of the sockets. Only the thread of the selector
 * may use it.
 */
public final class ClientConnection {

    public enum Outcome {
        /** No event is complete yet. */
        NOTHING,
        CONNECTED,
        ANSWERED,
        ENDED
    }

    private final SocketChannel channel;
    private final SelectionKey key;
    private final AnswerReader reader;

    private boolean connecting;

    /** The bytes that the socket has not accepted yet. */
    private @Nullable ByteBuffer rest;

    /** Whether bytes followed the last answer, which belong to no request. */
    private boolean hasSurplus;

    private ClientConnection(
            SocketChannel channel, SelectionKey key, boolean connecting, AnswerReader reader) {
        this.reader = reader;
        this.channel = channel;
        this.key = key;
        this.connecting = connecting;
    }

    /**
     * Connects.
     *
     * @param limitMillis the maximum wait for the connection; 0 returns at once, and {@link #ready}
     *     reports the connection
     * @param reader parses the answers; not shared with other connections
     * @param owner the attachment of the selection key
     * @throws IOException if the connection is refused, or not accepted in time
     */
    public static ClientConnection open(
            Selector selector,
            InetSocketAddress address,
            int limitMillis,
            AnswerReader reader,
            Object owner)
            throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            boolean connecting = limitMillis == 0;
            if (!connecting) {
                channel.socket().connect(address, limitMillis);
            }
            channel.configureBlocking(false);
            if (connecting) {
                channel.connect(address);
            }
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            int operation =
                    !connecting
                            ? SelectionKey.OP_READ
                            // An established connection would never be ready for OP_CONNECT.
                            : channel.isConnected()
                                    ? SelectionKey.OP_WRITE
                                    : SelectionKey.OP_CONNECT;
            SelectionKey key = channel.register(selector, operation, owner);
            return new ClientConnection(channel, key, connecting, reader);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Sends a request. The caller may reuse the buffer afterwards. */
    public void send(ByteBuffer request) {
        write(request);
        if (request.hasRemaining()) {
            ByteBuffer copy = ByteBuffer.allocate(request.remaining());
            rest = copy.put(request).flip();
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        }
    }

    private void write(ByteBuffer bytes) {
        try {
            channel.write(bytes);
        } catch (IOException e) {
            // The read reports the end, and possibly an answer that the node sent before it.
            bytes.position(bytes.limit());
        }
    }

    /**
     * Handles the operations that the key is ready for.
     *
     * @param input a buffer for reading, with undefined contents afterwards
     * @throws ProtocolException if the server does not send a valid answer
     */
    public Outcome ready(ByteBuffer input, AnswerReader.BodyReader body) throws ProtocolException {
        if (connecting) {
            return finishConnecting();
        }
        if (key.isValid() && key.isWritable()) {
            writeRest();
        }
        return key.isValid() && key.isReadable() ? read(input, body) : Outcome.NOTHING;
    }

    private Outcome finishConnecting() {
        try {
            if (!channel.finishConnect()) {
                return Outcome.NOTHING;
            }
            connecting = false;
            key.interestOps(SelectionKey.OP_READ);
            return Outcome.CONNECTED;
        } catch (IOException e) {
            return Outcome.ENDED;
        }
    }

    private void writeRest() {
        ByteBuffer bytes = rest;
        if (bytes != null) {
            write(bytes);
            if (!bytes.hasRemaining()) {
                rest = null;
                key.interestOps(SelectionKey.OP_READ);
            }
        }
    }

    private Outcome read(ByteBuffer input, AnswerReader.BodyReader body) throws ProtocolException {
        input.clear();
        int count;
        try {
            count = channel.read(input);
        } catch (IOException e) {
            count = -1;
        }
        if (count < 0) {
            return reader.endsWithConnection() ? Outcome.ANSWERED : Outcome.ENDED;
        }
        input.flip();
        boolean complete = reader.feed(input, body);
        hasSurplus = complete && input.hasRemaining();
        return complete ? Outcome.ANSWERED : Outcome.NOTHING;
    }

    /** The parser, with the last answer. */
    public AnswerReader answer() {
        return reader;
    }

    /** Whether another request can be sent after the last answer. */
    public boolean isReusable() {
        return !reader.closes() && rest == null && !hasSurplus;
    }

    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The connection is closed anyway.
        }
    }
}
