package dev.quorate.loadtest.openloop;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.StoredValues;
import java.nio.ByteBuffer;

/** GET and SET, as RESP 2 has them. */
final class RedisEncoder implements RequestEncoder {

    private static final byte[] END = bytes("\r\n");

    private final int valueBytes;
    private final byte[] getHead;
    private final byte[] setHead;
    private final byte[] setTail;

    RedisEncoder(Load.Requests requests) {
        valueBytes = requests.valueBytes();
        String prefix = StoredValues.keyPrefix(valueBytes);
        String key = "$" + (prefix.length() + StoredValues.DIGITS) + "\r\n" + prefix;
        getHead = bytes("*2\r\n$3\r\nGET\r\n" + key);
        setHead = bytes("*3\r\n$3\r\nSET\r\n" + key);
        setTail = bytes("\r\n$" + valueBytes + "\r\n");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    @Override
    public int mostBytes() {
        int set = setHead.length + StoredValues.DIGITS + setTail.length + valueBytes;
        return Math.max(set, getHead.length + StoredValues.DIGITS) + END.length;
    }

    @Override
    public void encode(Asked asked, ByteBuffer to) {
        to.put(asked.isPut ? setHead : getHead);
        StoredValues.putDigits(asked.key, to);
        if (asked.isPut) {
            to.put(setTail);
            StoredValues.putValue(asked.key, valueBytes, to);
        }
        to.put(END);
    }
}
