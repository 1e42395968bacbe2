package dev.quorate.node.http;

import java.nio.ByteBuffer;

/**
 * Encodes what an upgraded connection sends: answers as unmasked binary messages (RFC 6455, section
 * 5.2), and the close frame.
 *
 * <p>An answer's payload is its status, a u16, perhaps with {@link HttpExchange#LAST_ANSWER}, and
 * its body.
 */
final class MessageEncoder {

    private static final byte WHOLE_BINARY = (byte) 0x82;
    private static final byte WHOLE_CLOSE = (byte) 0x88;
    private static final int MAX_SHORT_BYTES = 125;
    private static final int MOST_16_BIT_BYTES = 0xFFFF;

    private MessageEncoder() {}

    /**
     * Encodes a message: its header, the status, and perhaps the body.
     *
     * @param body that is included; otherwise it must be sent next
     */
    static byte[] encode(int status, boolean isLast, int bodyBytes, byte[] body) {
        int payload = Short.BYTES + bodyBytes;
        int headBytes = headBytes(payload);
        ByteBuffer to = ByteBuffer.allocate(headBytes + Short.BYTES + body.length);
        to.put(WHOLE_BINARY);
        if (payload <= MAX_SHORT_BYTES) {
            to.put((byte) payload);
        } else if (payload <= MOST_16_BIT_BYTES) {
            to.put((byte) 126).putShort((short) payload);
        } else {
            to.put((byte) 127).putLong(payload);
        }
        to.putShort((short) (isLast ? status | HttpExchange.LAST_ANSWER : status));
        return to.put(body).array();
    }

    private static int headBytes(int payload) {
        if (payload <= MAX_SHORT_BYTES) {
            return 2;
        }
        return payload <= MOST_16_BIT_BYTES ? 4 : 10;
    }

    /** Encodes the close frame after an invalid message. */
    static byte[] encodeClose(HttpFailure failure) {
        int code =
                switch (failure.status()) {
                    case 413 -> 1009; // too big
                    case 503 -> 1013; // try again later
                    case 408 -> 1008; // against the rules
                    default -> 1002; // against the protocol
                };
        return new byte[] {WHOLE_CLOSE, Short.BYTES, (byte) (code >>> Byte.SIZE), (byte) code};
    }
}
