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
 * A connection on which a request is sent and its answer read, and then the next. Where both fit
 * into the sockets' buffers, that is one system call each. For the one thread that has its
 * selector.
 */
public final class ClientConnection {

    /** What came of being ready. */
    public enum Outcome {
        /** Nothing that is complete. */
        NOTHING,
        /** It is connected now. */
        CONNECTED,
        /** A whole answer. */
        ANSWERED,
        /** The connection has ended. */
        ENDED
    }

    private final SocketChannel channel;
    private final SelectionKey key;
    private final AnswerParser reader;

    private boolean connecting;

    /** What the socket has not taken yet. */
    private @Nullable ByteBuffer rest;

    /** Whether something came that belongs to no request. */
    private boolean hasSurplus;

    private ClientConnection(
            SocketChannel channel, SelectionKey key, boolean connecting, AnswerParser reader) {
        this.reader = reader;
        this.channel = channel;
        this.key = key;
        this.connecting = connecting;
    }

    /**
     * Connects.
     *
     * @param limitMillis for which the connection is waited for; 0 for one that only begins, and is
     *     to be waited for even where it is connected at once
     * @param reader of the answers, for this connection alone
     * @param owner is attached to the connection's key
     * @throws IOException if nobody takes the connection in time
     */
    public static ClientConnection open(
            Selector selector,
            InetSocketAddress address,
            int limitMillis,
            AnswerParser reader,
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
                            // One that is connected already is never ready to be connected.
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

    /**
     * Sends a request.
     *
     * @param request may be used for another one when this returns
     */
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
            // What the node said before it closed may still be there to read, and the end is.
            bytes.position(bytes.limit());
        }
    }

    /**
     * Goes on with what the key says it is ready for.
     *
     * @param input for what is read; what is in it afterwards is of no use
     * @param body sees the bodies of answers
     * @throws ProtocolException if the server does not send a valid answer
     */
    public Outcome ready(ByteBuffer input, AnswerParser.BodyReader body) throws ProtocolException {
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

    private Outcome read(ByteBuffer input, AnswerParser.BodyReader body) throws ProtocolException {
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

    /** Of the answer that came last. */
    public AnswerParser answer() {
        return reader;
    }

    /** Whether another request can be sent, now that the last one was answered. */
    public boolean isReusable() {
        return !reader.closes() && rest == null && !hasSurplus;
    }

    /** Closes it, whatever is under way. */
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // It is gone all the same.
        }
    }
}
