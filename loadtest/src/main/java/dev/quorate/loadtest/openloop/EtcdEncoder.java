package dev.quorate.loadtest.openloop;

import static dev.quorate.loadtest.openloop.RequestEncoder.bytes;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.StoredValues;
import java.nio.ByteBuffer;
import java.util.Base64;

/** Encodes {@code put} and linearizable {@code range} of one key for etcd's JSON gateway. */
final class EtcdEncoder implements RequestEncoder {

    private static final byte[] KEY = bytes("{\"key\":\"");
    private static final byte[] VALUE = bytes("\",\"value\":\"");
    private static final byte[] END = bytes("\"}");

    private final int valueBytes;
    private final int keyBytes;
    private final String prefix;
    private final byte[] putHead;
    private final byte[] rangeHead;

    EtcdEncoder(Load.Requests requests, String host) {
        valueBytes = requests.valueBytes();
        prefix = StoredValues.keyPrefix(valueBytes);
        keyBytes = prefix.length() + StoredValues.DIGITS;
        int key = KEY.length + base64Bytes(keyBytes) + END.length;
        rangeHead = head("range", host, key);
        putHead = head("put", host, key + VALUE.length + base64Bytes(valueBytes));
    }

    private static byte[] head(String method, String host, int length) {
        String start = "POST /v3/kv/" + method + " HTTP/1.1\r\nHost: " + host + "\r\n";
        String type = "Content-Type: application/json\r\n";
        return bytes(start + type + "Content-Length: " + length + "\r\n\r\n");
    }

    private static int base64Bytes(int bytes) {
        return Math.ceilDiv(bytes, 3) * 4;
    }

    @Override
    public int mostBytes() {
        return putHead.length
                + KEY.length
                + base64Bytes(keyBytes)
                + VALUE.length
                + base64Bytes(valueBytes)
                + END.length;
    }

    @Override
    public void encode(Asked asked, ByteBuffer to) {
        to.put(asked.isPut ? putHead : rangeHead).put(KEY);
        ByteBuffer key = ByteBuffer.allocate(keyBytes).put(bytes(prefix));
        StoredValues.putDigits(asked.key, key);
        to.put(Base64.getEncoder().encode(key.flip()));
        if (asked.isPut) {
            to.put(VALUE).put(value(asked.key, valueBytes));
        }
        to.put(END);
    }

    /** The value of a key, in Base64. */
    static byte[] value(int number, int valueBytes) {
        return Base64.getEncoder().encode(StoredValues.value(number, valueBytes));
    }
}
