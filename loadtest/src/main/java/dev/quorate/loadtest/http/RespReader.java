package dev.quorate.loadtest.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * Parses answers of Redis (RESP 2) to single requests, and maps each to an HTTP status: a simple
 * string to 201, a value to 200, no value to 404, an authentication error to 401, and other errors
 * to 500.
 */
public final class RespReader implements AnswerParser {

    private enum Part {
        LINE,
        VALUE,
        VALUE_END
    }

    private static final int LINE_BYTES = 512;

    private final byte[] line = new byte[LINE_BYTES];
    private int lineBytes;
    private Part part = Part.LINE;
    private int status;
    private int left;

    @Override
    public boolean feed(ByteBuffer in, AnswerParser.BodyReader body) throws ProtocolException {
        boolean complete = false;
        while (!complete && in.hasRemaining()) {
            complete =
                    switch (part) {
                        case LINE -> readLine(in) && isComplete();
                        case VALUE -> {
                            takeValue(in, body);
                            yield false;
                        }
                        case VALUE_END -> readLine(in) && valueEnds();
                    };
        }
        return complete;
    }

    /** Consumes bytes up to the end of a line. Returns whether the end was reached. */
    private boolean readLine(ByteBuffer in) throws ProtocolException {
        while (in.hasRemaining()) {
            byte next = in.get();
            if (next == '\n' && lineBytes > 0 && line[lineBytes - 1] == '\r') {
                lineBytes--;
                return true;
            }
            if (lineBytes == LINE_BYTES) {
                throw none();
            }
            line[lineBytes++] = next;
        }
        return false;
    }

    /** Handles the first line. Returns whether the answer ends with it. */
    private boolean isComplete() throws ProtocolException {
        if (lineBytes == 0) {
            throw none();
        }
        boolean isValue = false;
        switch (line[0]) {
            case '+', ':' -> status = 201;
            case '-' -> status = text(1).matches("(NOAUTH|WRONGPASS|NOPERM)\\b.*") ? 401 : 500;
            case '$' -> {
                left = length();
                status = left < 0 ? 404 : 200;
                isValue = left >= 0;
            }
            default -> throw none();
        }
        lineBytes = 0;
        if (isValue) {
            part = left == 0 ? Part.VALUE_END : Part.VALUE;
        }
        return !isValue;
    }

    /** The length of the value; negative if there is no value. */
    private int length() throws ProtocolException {
        String digits = text(1);
        if (digits.equals("-1")) {
            return -1;
        }
        if (!digits.matches("[0-9]{1," + 9 + "}")) {
            throw none();
        }
        return Integer.parseInt(digits);
    }

    private void takeValue(ByteBuffer in, AnswerParser.BodyReader body) {
        int count = Math.min(left, in.remaining());
        body.take(in, in.position(), count);
        in.position(in.position() + count);
        left -= count;
        if (left == 0) {
            part = Part.VALUE_END;
        }
    }

    private boolean valueEnds() throws ProtocolException {
        if (lineBytes > 0) {
            throw new ProtocolException("a value is longer than its length says");
        }
        part = Part.LINE;
        return true;
    }

    private ProtocolException none() {
        return new ProtocolException("an answer begins with '" + text(0) + "'");
    }

    private String text(int from) {
        return new String(line, from, Math.max(0, Math.min(lineBytes - from, 100)), ISO_8859_1);
    }

    @Override
    public int status() {
        return status;
    }
}
