package dev.quorate.node.http.parse;

import java.util.HexFormat;

/**
 * Percent-decoding by RFC 3986, to bytes, which need not be text. {@code +} is a plus. Malformed
 * escapes are refused: lenient decoding would let two texts mean the same bytes by accident.
 */
public final class Percent {

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    /** A {@code %} that is not followed by two hexadecimal digits. */
    public static final class MalformedEscapeException extends Exception {

        private MalformedEscapeException(String message) {
            super(message, null, false, false);
        }
    }

    private Percent() {}

    /**
     * Decodes.
     *
     * @param text ASCII only, as request targets are
     * @throws MalformedEscapeException if an escape is cut off or not hexadecimal
     */
    public static byte[] decode(String text) throws MalformedEscapeException {
        byte[] bytes = new byte[decodedLength(text)];
        int from = 0;
        for (int at = 0; at < bytes.length; at++) {
            char c = text.charAt(from);
            if (c == '%') {
                bytes[at] = escape(text, from);
                from += 3;
            } else {
                bytes[at] = (byte) c;
                from++;
            }
        }
        if (from != text.length()) {
            throw malformed();
        }
        return bytes;
    }

    private static byte escape(String text, int from) throws MalformedEscapeException {
        if (from + 2 >= text.length()) {
            throw malformed();
        }
        int high = HttpSyntax.hexValue(text.charAt(from + 1));
        int low = HttpSyntax.hexValue(text.charAt(from + 2));
        if (high < 0 || low < 0) {
            throw malformed();
        }
        return (byte) (high << 4 | low);
    }

    private static MalformedEscapeException malformed() {
        return new MalformedEscapeException(
                "A percent sign must be followed by two hexadecimal digits.");
    }

    /** How many bytes {@link #decode} would return, if the escapes are well-formed. */
    public static int decodedLength(String text) {
        int escapes = 0;
        for (int i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i + 1)) {
            escapes++;
        }
        return Math.max(0, text.length() - 2 * escapes);
    }

    /**
     * Encodes bytes for a request target: everything but RFC 3986's unreserved characters is
     * escaped.
     */
    public static String encode(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length + 16);
        for (byte b : bytes) {
            if (isUnreserved(b)) {
                text.append((char) b);
            } else {
                text.append('%');
                HEX.toHexDigits(text, b);
            }
        }
        return text.toString();
    }

    private static boolean isUnreserved(byte b) {
        return (b >= 'a' && b <= 'z')
                || (b >= 'A' && b <= 'Z')
                || (b >= '0' && b <= '9')
                || b == '-'
                || b == '.'
                || b == '_'
                || b == '~';
    }
}
