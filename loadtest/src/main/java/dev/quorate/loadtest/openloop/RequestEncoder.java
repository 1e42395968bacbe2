package dev.quorate.loadtest.openloop;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.StoredValues;
import java.nio.ByteBuffer;

/** Encodes requests for a server. */
interface RequestEncoder {

    /**
     * The encoder for the API of a load. For one thread.
     *
     * @param host the host of the server with its port
     */
    static RequestEncoder of(Load load, String host) {
        Load.Requests requests = load.requests();
        if (!requests.api().isOurs() && !requests.operation().isCommon()) {
            throw new IllegalArgumentException("Only Quorate has " + requests.operation());
        }
        return switch (requests.api()) {
            case REPLICAS, ACK_FROM -> new HttpEncoder(requests, host);
            case ETCD -> new EtcdEncoder(requests, host);
            case REDIS -> new RedisEncoder(requests);
        };
    }

    static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    /** The maximum length of a request, in bytes. */
    int mostBytes();

    void encode(Asked asked, ByteBuffer to);

    /** Encodes GET and SET in RESP 2. */
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
}
