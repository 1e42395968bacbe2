package dev.quorate.loadtest.pressure;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.regex.Pattern;

/** Reads one answer after the other off a connection, and throws the bodies away. */
final class AnswerReader {

    private static final int MOST_HEAD_BYTES = 16_384;
    private static final int UNTIL_CHUNKS_END = -1;
    private static final String LENGTH = "\r\ncontent-length:";
    private static final Pattern STATUS_LINE = Pattern.compile("http/1\\.[01] [1-9][0-9]{2}\\b");
    private static final Pattern LENGTH_DIGITS = Pattern.compile("[0-9]{1,18}");
    private static final byte[] LAST_CHUNK = {'0', '\r', '\n', '\r', '\n'};

    private final StringBuilder head = new StringBuilder(256);
    private boolean inBody;
    private long bodyLeft;
    private int lastChunkSeen;
    private int status;
    private boolean retryAfter;
    private boolean closes;

    /**
     * Takes bytes up to the end of an answer at most; whether that was reached.
     *
     * @throws ProtocolException if they are none of HTTP
     */
    boolean feed(ByteBuffer in) throws ProtocolException {
        while (!inBody) {
            if (!in.hasRemaining()) {
                return false;
            }
            head.append((char) (in.get() & 0xFF));
            int length = head.length();
            if (length > MOST_HEAD_BYTES) {
                throw new ProtocolException("the head of an answer is too long");
            }
            if (length >= 4 && head.charAt(length - 1) == '\n' && head.charAt(length - 3) == '\n') {
                headIsComplete();
            }
        }
        skipBody(in);
        boolean ends = bodyLeft == 0;
        inBody = !ends;
        return ends;
    }

    private void headIsComplete() throws ProtocolException {
        String lower = head.toString().toLowerCase(Locale.ROOT);
        head.setLength(0);
        if (!STATUS_LINE.matcher(lower).lookingAt()) {
            throw new ProtocolException("an answer begins with " + lower.lines().findFirst());
        }
        status = Integer.parseInt(lower, 9, 12, 10);
        retryAfter = lower.contains("\r\nretry-after:");
        closes = lower.contains("\r\nconnection: close");
        int at = lower.indexOf(LENGTH);
        if (at >= 0) {
            int from = at + LENGTH.length();
            bodyLeft = length(lower.substring(from, lower.indexOf('\r', from)).strip());
        } else {
            bodyLeft = lower.contains("\r\ntransfer-encoding: chunked") ? UNTIL_CHUNKS_END : 0;
        }
        lastChunkSeen = 0;
        inBody = true;
    }

    private static long length(String digits) throws ProtocolException {
        if (!LENGTH_DIGITS.matcher(digits).matches()) {
            throw new ProtocolException("an answer has the length " + digits);
        }
        return Long.parseLong(digits);
    }

    private void skipBody(ByteBuffer in) {
        if (bodyLeft > 0) {
            int count = (int) Math.min(bodyLeft, in.remaining());
            in.position(in.position() + count);
            bodyLeft -= count;
        }
        // Good enough for figures: a value could look like the last chunk.
        while (bodyLeft == UNTIL_CHUNKS_END && in.hasRemaining()) {
            byte next = in.get();
            lastChunkSeen =
                    next == LAST_CHUNK[lastChunkSeen] ? lastChunkSeen + 1 : next == '0' ? 1 : 0;
            if (lastChunkSeen == LAST_CHUNK.length) {
                bodyLeft = 0;
            }
        }
    }

    /** Of the last answer. */
    int status() {
        return status;
    }

    /** Whether the last answer says when to try again. */
    boolean hasRetryAfter() {
        return retryAfter;
    }

    /** Whether the last answer ends the connection. */
    boolean closes() {
        return closes;
    }
}
