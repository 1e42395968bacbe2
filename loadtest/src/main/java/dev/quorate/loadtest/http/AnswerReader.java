package dev.quorate.loadtest.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * Parses answers of HTTP/1. It allocates no objects, to leave the processors to the nodes when it
 * reads thousands of answers a second.
 */
public final class AnswerReader {

    /** Maximum length of an {@code ETag} that is copied. */
    public static final int MAX_TAG_BYTES = 64;

    /** Receives the bodies of answers in pieces. */
    @FunctionalInterface
    public interface BodyReader {

        /** Receives {@code count} bytes at index {@code from}. It must not change the buffer. */
        void take(ByteBuffer bytes, int from, int count);
    }

    private enum Part {
        STATUS_LINE,
        HEADERS,
        BODY,
        /** A body that ends with the connection. */
        ENDLESS_BODY,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        TRAILERS
    }

    private static final int MAX_HEAD_BYTES = 16_384;

    /** Longer than any header that is evaluated. */
    private static final int LINE_BYTES = 256;

    private static final int MAX_LENGTH_DIGITS = 18;
    private static final int MAX_CHUNK_DIGITS = 15;
    private static final int STATUS_AT = 9;
    private static final int STATUS_END = 12;

    private static final byte[] VERSION = lowerCase("http/1.");
    private static final byte[] CONTENT_LENGTH = lowerCase("content-length:");
    private static final byte[] TRANSFER_ENCODING = lowerCase("transfer-encoding:");
    private static final byte[] CHUNKED = lowerCase("chunked");
    private static final byte[] CONNECTION = lowerCase("connection:");
    private static final byte[] CLOSE = lowerCase("close");
    private static final byte[] ETAG = lowerCase("etag:");

    private final byte[] line = new byte[LINE_BYTES];

    private int lineBytes;

    /** The bytes read of the head of the answer or chunk. */
    private int headBytes;

    private Part part = Part.STATUS_LINE;
    private int status;
    private final byte[] tag = new byte[MAX_TAG_BYTES];
    private int tagBytes;
    private boolean closes;
    private boolean chunked;

    /** The {@code Content-Length}; negative if there is none. */
    private long length;

    /** The remaining bytes of the body or chunk. */
    private long left;

    private static byte[] lowerCase(String text) {
        return text.getBytes(ISO_8859_1);
    }

    /**
     * Consumes bytes up to the end of an answer. Returns whether the end was reached.
     *
     * @throws ProtocolException if the bytes are not a valid answer
     */
    public boolean feed(ByteBuffer in, BodyReader body) throws ProtocolException {
        boolean complete = false;
        while (!complete && in.hasRemaining()) {
            complete =
                    switch (part) {
                        case STATUS_LINE, HEADERS -> readLine(in) && headLineIsComplete();
                        case BODY, CHUNK -> takeBody(in, body);
                        case ENDLESS_BODY -> {
                            left = Long.MAX_VALUE;
                            yield takeBody(in, body);
                        }
                        case CHUNK_SIZE -> readLine(in) && chunkSizeIsComplete();
                        case CHUNK_END -> readLine(in) && chunkEndIsComplete();
                        case TRAILERS -> readLine(in) && trailerIsComplete();
                    };
        }
        if (complete) {
            part = Part.STATUS_LINE;
        }
        return complete;
    }

    /** Consumes bytes up to the end of a line. Returns whether the end was reached. */
    private boolean readLine(ByteBuffer in) throws ProtocolException {
        while (in.hasRemaining()) {
            byte next = in.get();
            if (next == '\n') {
                if (lineBytes > 0 && line[lineBytes - 1] == '\r') {
                    lineBytes--;
                }
                return true;
            }
            if (headBytes == MAX_HEAD_BYTES) {
                throw new ProtocolException("the head of an answer is too long");
            }
            headBytes++;
            if (lineBytes < LINE_BYTES) {
                line[lineBytes++] = next;
            }
        }
        return false;
    }

    /** Handles a complete line of the head. Returns whether the answer ends with it. */
    private boolean headLineIsComplete() throws ProtocolException {
        if (part == Part.STATUS_LINE) {
            readStatusLine();
            part = Part.HEADERS;
        } else if (lineBytes > 0) {
            readHeader();
        } else {
            headBytes = 0;
            return headIsComplete();
        }
        lineBytes = 0;
        return false;
    }

    private boolean headIsComplete() {
        if (status < 200) {
            // An interim answer, which the final answer follows.
            part = Part.STATUS_LINE;
            return false;
        }
        if (status == 204 || status == 304) {
            return true;
        }
        if (chunked) {
            part = Part.CHUNK_SIZE;
            return false;
        }
        left = length;
        part = length < 0 ? Part.ENDLESS_BODY : Part.BODY;
        closes |= length < 0;
        return length == 0;
    }

    private void readStatusLine() throws ProtocolException {
        boolean isStatusLine =
                startsWith(VERSION)
                        && lineBytes >= STATUS_END
                        && (lineBytes == STATUS_END || line[STATUS_END] == ' ')
                        && (line[VERSION.length] == '0' || line[VERSION.length] == '1')
                        && line[STATUS_AT - 1] == ' '
                        && line[STATUS_AT] != '0';
        long read = isStatusLine ? number(STATUS_AT, STATUS_END) : -1;
        if (read < 0) {
            throw new ProtocolException("an answer begins with '" + text(0) + "'");
        }
        status = (int) read;
        closes = line[VERSION.length] == '0';
        tagBytes = 0;
        chunked = false;
        length = -1;
    }

    private void readHeader() throws ProtocolException {
        switch (line[0] | 0x20) {
            case 'c' -> {
                if (startsWith(CONTENT_LENGTH)) {
                    readLength();
                } else if (startsWith(CONNECTION)) {
                    closes |= contains(CLOSE, CONNECTION.length);
                }
            }
            case 't' ->
                    chunked |=
                            startsWith(TRANSFER_ENCODING)
                                    && contains(CHUNKED, TRANSFER_ENCODING.length);
            case 'e' -> {
                if (startsWith(ETAG)) {
                    readTag();
                }
            }
            default -> {}
        }
    }

    private void readTag() {
        int from = ETAG.length;
        while (from < lineBytes && isBlank(line[from])) {
            from++;
        }
        if (lineBytes - from <= MAX_TAG_BYTES) {
            tagBytes = lineBytes - from;
            System.arraycopy(line, from, tag, 0, tagBytes);
        }
    }

    private void readLength() throws ProtocolException {
        int from = CONTENT_LENGTH.length;
        int to = lineBytes;
        while (from < to && isBlank(line[from])) {
            from++;
        }
        while (from < to && isBlank(line[to - 1])) {
            to--;
        }
        long read = to - from <= MAX_LENGTH_DIGITS ? number(from, to) : -1;
        if (read < 0 || (length >= 0 && length != read)) {
            throw new ProtocolException(
                    "an answer has the length '" + text(CONTENT_LENGTH.length).strip() + "'");
        }
        length = read;
    }

    /** Handles the size of a chunk. The answer never ends with it. */
    private boolean chunkSizeIsComplete() throws ProtocolException {
        long size = 0;
        int digits = 0;
        while (digits < lineBytes && Character.digit(line[digits], 16) >= 0) {
            size = 16 * size + Character.digit(line[digits], 16);
            digits++;
        }
        boolean ends = digits == lineBytes || line[digits] == ';' || isBlank(line[digits]);
        if (digits == 0 || digits > MAX_CHUNK_DIGITS || !ends) {
            throw new ProtocolException("a chunk has the size '" + text(0) + "'");
        }
        lineBytes = 0;
        headBytes = 0;
        left = size;
        part = size == 0 ? Part.TRAILERS : Part.CHUNK;
        return false;
    }

    /** Handles the end of a chunk. The answer never ends with it. */
    private boolean chunkEndIsComplete() throws ProtocolException {
        if (lineBytes > 0) {
            throw new ProtocolException("a chunk is longer than its size says");
        }
        part = Part.CHUNK_SIZE;
        return false;
    }

    /** Handles a line of the trailers. Returns whether it was the last. */
    private boolean trailerIsComplete() {
        boolean isLast = lineBytes == 0;
        lineBytes = 0;
        if (isLast) {
            headBytes = 0;
        }
        return isLast;
    }

    /** Passes a piece of the body. Returns whether the answer ends with it. */
    private boolean takeBody(ByteBuffer in, BodyReader body) {
        int count = (int) Math.min(left, in.remaining());
        body.take(in, in.position(), count);
        in.position(in.position() + count);
        left -= count;
        if (left == 0 && part == Part.CHUNK) {
            part = Part.CHUNK_END;
            return false;
        }
        return left == 0;
    }

    private boolean startsWith(byte[] lowerCase) {
        return lineBytes >= lowerCase.length && isAt(lowerCase, 0);
    }

    private boolean contains(byte[] lowerCase, int from) {
        for (int at = from; at + lowerCase.length <= lineBytes; at++) {
            if (isAt(lowerCase, at)) {
                return true;
            }
        }
        return false;
    }

    private boolean isAt(byte[] lowerCase, int at) {
        for (int i = 0; i < lowerCase.length; i++) {
            byte found = line[at + i];
            boolean isUpperCase = found >= 'A' && found <= 'Z';
            if ((isUpperCase ? found | 0x20 : found) != lowerCase[i]) {
                return false;
            }
        }
        return true;
    }

    /** The value of the digits in a part of the line; negative if it is not a number. */
    private long number(int from, int to) {
        long number = from < to ? 0 : -1;
        for (int i = from; i < to; i++) {
            if (line[i] < '0' || line[i] > '9') {
                return -1;
            }
            number = 10 * number + line[i] - '0';
        }
        return number;
    }

    private static boolean isBlank(byte found) {
        return found == ' ' || found == '\t';
    }

    private String text(int from) {
        return new String(line, from, Math.min(lineBytes - from, 100), ISO_8859_1);
    }

    public int status() {
        return status;
    }

    /**
     * Copies the {@code ETag} of the last answer.
     *
     * @param to at least {@link #MAX_TAG_BYTES} long
     * @return the length of the tag; 0 if the answer has none, or a longer one
     */
    public int copyTag(byte[] to) {
        System.arraycopy(tag, 0, to, 0, tagBytes);
        return tagBytes;
    }

    /** Whether the server closes the connection after the last answer. */
    public boolean closes() {
        return closes;
    }

    public boolean endsWithConnection() {
        return part == Part.ENDLESS_BODY;
    }
}
