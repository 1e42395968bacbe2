package dev.quorate.node.http.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import one.nio.net.Socket;
import one.nio.net.SocketClosedException;
import org.jspecify.annotations.Nullable;

/**
 * TLS by the JDK's engine, which is created at the first byte: silent connections have no engine.
 *
 * <p>Between two calls it retains at most the beginning of one record, the content of one record,
 * and the unsent part of one record, each up to 17 KiB and reserved in a budget. Everything else is
 * in buffers of the calling thread. The costly steps of a handshake run on threads of their own;
 * until such a step is done the connection does not read.
 */
final class TlsWire implements Wire {

    /** More than the size of any record. */
    private static final int RECORD_BYTES = 17 * 1024;

    private static final int MAX_PLAIN_BYTES = 16 * 1024;
    private static final byte ALERT_RECORD = 21;
    private static final byte HANDSHAKE_RECORD = 22;

    /** Maximum number of bytes that a connection reads before the selector serves others. */
    static final int MAX_READ_BYTES = 64 * 1024;

    private static final byte[] NOTHING = {};

    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

        final byte[] buffer = new byte[4 * RECORD_BYTES];
        final byte[] inputBytes = new byte[2 * RECORD_BYTES];
        final byte[] plainBytes = new byte[RECORD_BYTES];
        final byte[] packetBytes = new byte[RECORD_BYTES];
        final ByteBuffer input = ByteBuffer.wrap(inputBytes);
        final ByteBuffer plain = ByteBuffer.wrap(plainBytes);
        final ByteBuffer packet = ByteBuffer.wrap(packetBytes);
    }

    /** The services of a connection for its wire. */
    interface Owner {

        /** The handshake is complete. Called with the lock held. */
        void established();

        /** A step of the handshake is done: read again. Called without the lock. */
        void resume();

        /** The address to which the connection counts. */
        String address();

        /** Whether the client has left. Called without the lock, as is {@link #dropped}. */
        boolean isGone();

        /** The handshake does not continue: close. */
        void dropped();
    }

    /** The first byte does not begin a TLS record. */
    static final class PlainInputException extends IOException {

        PlainInputException() {
            super("not TLS");
        }
    }

    private final Socket socket;
    private final TlsPort port;
    private final Owner owner;
    private @Nullable SSLEngine engine;

    /** The beginning of a record. */
    private byte[] input = NOTHING;

    /** Decrypted bytes that are not read yet. */
    private byte[] plain = NOTHING;

    /** Encrypted bytes that are not sent yet: from {@link #unsentFrom} to {@link #unsentTo}. */
    private byte[] unsent = NOTHING;

    private int unsentFrom;
    private int unsentTo;

    private final UselessRecords uselessRecords;
    private long reservedInput;
    private long reservedOutput;
    private boolean isEstablished;
    private boolean hasEnded;
    private boolean hasFailed;

    /** Whether the client does not use TLS. Then output is not encrypted. */
    private boolean isPlain;

    /** Whether the handshake continues without more input. */
    private boolean isTaskDone;

    private HandshakeQueue.@Nullable Step step;

    /** Also written by the thread of the task, before it resumes the connection. */
    private volatile boolean isInTask;

    TlsWire(Socket socket, TlsPort port, Owner owner) {
        this.socket = socket;
        this.port = port;
        this.owner = owner;
        uselessRecords = new UselessRecords(port.nowNanos());
    }

    /** A buffer of the calling thread, for a read that no selector has begun. */
    static byte[] buffer() {
        return Scratch.OF_THREAD.get().buffer;
    }

    // ---- Reading.

    @Override
    public int read(byte[] buffer, int most) throws IOException {
        if (isInTask || hasFailed) {
            return 0;
        }
        int count = readPlain(buffer, most);
        if (plain.length > 0) {
            return count;
        }
        try {
            if (isTaskDone && engine != null) {
                isTaskDone = false;
                advance(engine);
            }
            count = readRecords(buffer, count, most);
        } catch (SSLException e) {
            fail();
            throw e;
        }
        if (count == 0 && hasEnded) {
            throw new SocketClosedException();
        }
        return count;
    }

    private int readPlain(byte[] buffer, int most) {
        int count = Math.min(plain.length, most);
        System.arraycopy(plain, 0, buffer, 0, count);
        plain = count == plain.length ? NOTHING : Arrays.copyOfRange(plain, count, plain.length);
        return count;
    }

    private int readRecords(byte[] buffer, int from, int most) throws IOException {
        ByteBuffer in = Scratch.OF_THREAD.get().input.clear().put(input);
        input = NOTHING;
        int count = from;
        int received = 0;
        try {
            while (true) {
                int got = receive(in, count > 0);
                received += got;
                in.flip();
                count = decrypt(in, buffer, count, most);
                in.compact();
                boolean isEnough = received >= MAX_READ_BYTES || count > most / 2;
                if (got == 0 || isEnough || isInTask || hasEnded || plain.length > 0 || isFull()) {
                    return count;
                }
            }
        } finally {
            retain(in);
        }
    }

    private int receive(ByteBuffer in, boolean hasRead) throws IOException {
        int got;
        try {
            got =
                    Math.max(
                            socket.read(
                                    Scratch.OF_THREAD.get().inputBytes,
                                    in.position(),
                                    in.remaining(),
                                    0),
                            0);
        } catch (SocketClosedException e) {
            if (hasRead) {
                return 0; // It will be thrown again.
            }
            throw e;
        }
        in.position(in.position() + got);
        if (engine == null && in.position() > 0) {
            if (in.get(0) != HANDSHAKE_RECORD) {
                isPlain = true;
                throw new PlainInputException();
            }
            engine = port.engines.get();
        }
        return got;
    }

    /** Retains the beginning of a record, or whole records that are not read now. */
    private void retain(ByteBuffer in) throws IOException {
        int left = in.position();
        long needed = (long) left + plain.length;
        if (!port.input.tryReserve(needed)) {
            throw new IOException("there is no room for unfinished records");
        }
        port.input.release(reservedInput);
        reservedInput = needed;
        input = left == 0 ? NOTHING : Arrays.copyOf(Scratch.OF_THREAD.get().inputBytes, left);
    }

    /** Decrypts what fits into the buffer, and the rest of the last record into {@link #plain}. */
    private int decrypt(ByteBuffer in, byte[] buffer, int from, int most) throws IOException {
        SSLEngine tls = engine;
        int count = from;
        while (tls != null && in.hasRemaining() && !isInTask && plain.length == 0 && !isFull()) {
            boolean isAlert = in.get(in.position()) == ALERT_RECORD;
            boolean isDirect = most - count >= RECORD_BYTES;
            ByteBuffer to =
                    isDirect
                            ? ByteBuffer.wrap(buffer, count, most - count)
                            : Scratch.OF_THREAD.get().plain.clear();
            SSLEngineResult result = tls.unwrap(in, to);
            int produced = result.bytesProduced();
            if (produced == 0 && result.bytesConsumed() > 0) {
                boolean isWarning = isAlert && result.getStatus() == SSLEngineResult.Status.OK;
                uselessRecords.count(isWarning, isEstablished, port.nowNanos());
            }
            if (isDirect) {
                count += produced;
            } else {
                int fits = Math.min(produced, most - count);
                System.arraycopy(Scratch.OF_THREAD.get().plainBytes, 0, buffer, count, fits);
                count += fits;
                plain =
                        fits == produced
                                ? NOTHING
                                : Arrays.copyOfRange(
                                        Scratch.OF_THREAD.get().plainBytes, fits, produced);
            }
            advance(tls);
            switch (result.getStatus()) {
                case OK -> {
                    if (result.bytesConsumed() == 0 && produced == 0) {
                        return count;
                    }
                }
                case BUFFER_UNDERFLOW -> {
                    return count;
                }
                case BUFFER_OVERFLOW -> throw new SSLException("a record is too long");
                case CLOSED -> {
                    hasEnded = true;
                    return count;
                }
            }
        }
        return count;
    }

    // ---- The handshake.

    private void advance(SSLEngine tls) throws IOException {
        while (true) {
            switch (tls.getHandshakeStatus()) {
                case NEED_TASK -> {
                    if (isEstablished) {
                        // Each costs as much as the first, and a client may ask again and again.
                        throw new SSLException("renegotiation is refused");
                    }
                    beginTask(tls);
                    return;
                }
                case NEED_WRAP -> {
                    if (!wrap(tls)) {
                        return;
                    }
                }
                case NOT_HANDSHAKING, FINISHED -> {
                    if (!isEstablished) {
                        isEstablished = true;
                        port.noteHandshake(owner.address(), tls.getNeedClientAuth());
                        owner.established();
                    }
                    return;
                }
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    return;
                }
            }
        }
    }

    private void beginTask(SSLEngine tls) throws IOException {
        isInTask = true;
        isTaskDone = true;
        step =
                new HandshakeQueue.Step(
                        owner.address(), port.nowNanos(), () -> runTasks(tls), owner::dropped);
        if (!port.submit(step)) {
            isInTask = false;
            throw new IOException("too many handshakes are in progress");
        }
    }

    private void runTasks(SSLEngine tls) {
        if (owner.isGone()) {
            port.noteDropped();
            owner.dropped();
            return;
        }
        for (Runnable task = tls.getDelegatedTask(); task != null; task = tls.getDelegatedTask()) {
            task.run();
        }
        isInTask = false;
        owner.resume();
    }

    /** Sends a message of the TLS protocol. False if there is none. */
    private boolean wrap(SSLEngine tls) throws IOException {
        ByteBuffer packet = Scratch.OF_THREAD.get().packet.clear();
        SSLEngineResult result = tls.wrap(ByteBuffer.wrap(NOTHING), packet);
        send(packet.flip(), 0);
        return result.bytesProduced() > 0 && result.getStatus() != SSLEngineResult.Status.CLOSED;
    }

    /** Notes the failure, and sends the alert with the reason. */
    private void fail() throws IOException {
        hasFailed = true;
        endOutput();
    }

    // ---- Writing.

    @Override
    public int write(byte[] bytes, int from, int count, int flags) throws IOException {
        if (isPlain) {
            return socket.write(bytes, from, count, flags);
        }
        SSLEngine tls = engine;
        flush();
        if (tls == null || !isEstablished || hasFailed) {
            return 0;
        }
        int taken = 0;
        while (taken < count && unsentBytes() == 0) {
            int most = Math.min(count - taken, MAX_PLAIN_BYTES);
            ByteBuffer packet = Scratch.OF_THREAD.get().packet.clear();
            SSLEngineResult result = tls.wrap(ByteBuffer.wrap(bytes, from + taken, most), packet);
            if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                throw new SocketClosedException();
            }
            taken += result.bytesConsumed();
            send(packet.flip(), taken < count ? Socket.MSG_MORE : flags);
            if (result.bytesConsumed() == 0) {
                break;
            }
        }
        return taken;
    }

    private void send(ByteBuffer packet, int flags) throws IOException {
        int length = packet.remaining();
        int sent = 0;
        if (unsentBytes() == 0 && length > 0) {
            sent = Math.max(socket.write(Scratch.OF_THREAD.get().packetBytes, 0, length, flags), 0);
        }
        if (sent < length) {
            append(Scratch.OF_THREAD.get().packetBytes, sent, length - sent);
        }
    }

    /** Appends unsent bytes. Copies the earlier ones only when the array doubles. */
    private void append(byte[] bytes, int from, int count) throws IOException {
        int before = unsentTo - unsentFrom;
        if (unsentTo + count > unsent.length) {
            byte[] larger = new byte[Math.max(before + count, 2 * before)];
            if (!port.output.tryReserve(larger.length)) {
                throw new IOException("too many answers wait for their readers");
            }
            System.arraycopy(unsent, unsentFrom, larger, 0, before);
            dropUnsent();
            reservedOutput = larger.length;
            unsent = larger;
            unsentTo = before;
        }
        System.arraycopy(bytes, from, unsent, unsentTo, count);
        unsentTo += count;
    }

    private void dropUnsent() {
        port.output.release(reservedOutput);
        reservedOutput = 0;
        unsent = NOTHING;
        unsentFrom = 0;
        unsentTo = 0;
    }

    @Override
    public void flush() throws IOException {
        if (unsentBytes() > 0) {
            unsentFrom += Math.max(socket.write(unsent, unsentFrom, unsentTo - unsentFrom, 0), 0);
            if (unsentBytes() == 0) {
                dropUnsent();
            }
        }
    }

    @Override
    public long unsentBytes() {
        return (long) unsentTo - unsentFrom;
    }

    /** Whether reading stops, because it may add to output that the client does not read. */
    private boolean isFull() {
        return unsentBytes() > ConnectionState.MAX_UNSENT_BYTES;
    }

    // ---- State.

    @Override
    public boolean hasInput() {
        return !isInTask && !hasFailed && (plain.length > 0 || hasEnded || hasWholeRecord());
    }

    /** Whether the kept input has a whole record, which is decrypted when there is room for it. */
    private boolean hasWholeRecord() {
        return input.length >= 5
                && input.length >= 5 + ((input[3] & 0xFF) << Byte.SIZE | (input[4] & 0xFF));
    }

    @Override
    public boolean isPaused() {
        return isInTask;
    }

    @Override
    public int discard(byte[] buffer) throws IOException {
        return Math.max(socket.read(buffer, 0, buffer.length, 0), 0);
    }

    @Override
    public void endOutput() {
        SSLEngine tls = engine;
        if (tls == null || isInTask) {
            return;
        }
        tls.closeOutbound();
        try {
            while (tls.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && wrap(tls)) {
                // An alert, or the end.
            }
        } catch (IOException e) {
            // The client sees an end without a reason.
        }
    }

    @Override
    public void release() {
        if (step != null) {
            port.cancel(step);
        }
        port.input.release(reservedInput);
        reservedInput = 0;
        input = NOTHING;
        plain = NOTHING;
        dropUnsent();
    }
}
