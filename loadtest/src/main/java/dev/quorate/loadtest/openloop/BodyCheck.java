package dev.quorate.loadtest.openloop;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.loadtest.http.AnswerReader.BodyReader;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Api;
import dev.quorate.loadtest.load.StoredValues;
import java.nio.ByteBuffer;

/** Compares the bodies of the answers on a connection with the stored values. */
final class BodyCheck implements BodyReader {

    private enum Expected {
        NOTHING,
        /** Any bytes of the expected length. */
        LENGTH,
        VALUE,
        RANGE
    }

    private final Load.Requests requests;

    /** The length of a key, a line feed and a value in a range. */
    private final int entryBytes;

    private final byte[] keyPrefix;

    private Expected expected = Expected.NOTHING;
    private int key;
    private long position;
    private boolean differs;

    BodyCheck(Load.Requests requests) {
        this.requests = requests;
        this.keyPrefix = StoredValues.keyPrefix(requests.valueBytes()).getBytes(US_ASCII);
        this.entryBytes = keyPrefix.length + StoredValues.DIGITS + 1 + requests.valueBytes();
    }

    /** Begins the answer to a request, whose body is compared if {@code checks} is true. */
    void begin(Asked asked, boolean checks) {
        expected = checks ? expected(asked) : Expected.NOTHING;
        key = asked.key;
        position = 0;
        differs = false;
    }

    private Expected expected(Asked asked) {
        return switch (requests.operation()) {
            // Other servers may have other contents.
            case STATIC -> requests.api() == Api.REPLICAS ? Expected.LENGTH : Expected.NOTHING;
            case GET, GET_ONCE -> Expected.VALUE;
            case MIXED -> asked.isPut ? Expected.NOTHING : Expected.VALUE;
            case RANGE -> Expected.RANGE;
            case GET_ABSENT, PUT, PUT_NEW, PUT_IF_MATCH, DELETE -> Expected.NOTHING;
        };
    }

    @Override
    public void take(ByteBuffer bytes, int from, int count) {
        if (!differs) {
            differs =
                    switch (expected) {
                        case NOTHING, LENGTH -> false;
                        case VALUE -> !isOfValue(key, position, bytes, from, count);
                        case RANGE -> !isOfRange(bytes, from, count);
                    };
        }
        position += count;
    }

    private boolean isOfValue(int number, long at, ByteBuffer bytes, int from, int count) {
        return at + count <= requests.valueBytes()
                && StoredValues.isPiece(
                        number, requests.valueBytes(), (int) at, bytes, from, count);
    }

    private boolean isOfRange(ByteBuffer bytes, int from, int count) {
        int done = 0;
        while (done < count) {
            long at = position + done;
            int number = (int) (at / entryBytes);
            int inEntry = (int) (at % entryBytes);
            int valueAt = entryBytes - requests.valueBytes();
            int piece = 1;
            boolean fits;
            if (inEntry < valueAt) {
                fits = bytes.get(from + done) == keyByte(number, inEntry);
            } else {
                piece = Math.min(count - done, entryBytes - inEntry);
                fits = isOfValue(number, inEntry - valueAt, bytes, from + done, piece);
            }
            if (!fits) {
                return false;
            }
            done += piece;
        }
        return true;
    }

    /** A byte of a key in a range, or of the line feed after it. */
    private byte keyByte(int number, int at) {
        if (at < keyPrefix.length) {
            return keyPrefix[at];
        }
        int digit = at - keyPrefix.length;
        return digit < StoredValues.DIGITS ? StoredValues.digit(number, digit) : (byte) '\n';
    }

    /** Whether the complete body is correct, as far as it was compared. */
    boolean isRight() {
        long length =
                switch (expected) {
                    case NOTHING -> position;
                    case LENGTH, VALUE -> requests.valueBytes();
                    case RANGE -> (long) requests.keys() * entryBytes;
                };
        return !differs && position == length;
    }
}
