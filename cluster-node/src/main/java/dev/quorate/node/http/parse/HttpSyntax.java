package dev.quorate.node.http.parse;

import java.nio.charset.StandardCharsets;

/** Classifies the bytes of a request (RFC 9110 and 9112), and compares them. */
final class HttpSyntax {

    private static final int TOKEN = 1;
    private static final int TARGET = 2;
    private static final int FIELD_VALUE = 4;
    private static final int HOST = 8;

    private static final byte[] CLASSES = new byte[256];

    static {
        for (int b = 0x21; b <= 0x7E; b++) {
            CLASSES[b] |= FIELD_VALUE;
            if (b != '#') {
                CLASSES[b] |= TARGET;
            }
        }
        for (int b = 0x80; b <= 0xFF; b++) {
            CLASSES[b] |= FIELD_VALUE;
        }
        CLASSES[' '] |= FIELD_VALUE;
        CLASSES['\t'] |= FIELD_VALUE;
        for (int b = 'a'; b <= 'z'; b++) {
            CLASSES[b] |= TOKEN | HOST;
            CLASSES[b - 32] |= TOKEN | HOST;
        }
        for (int b = '0'; b <= '9'; b++) {
            CLASSES[b] |= TOKEN | HOST;
        }
        for (byte b : "!#$%&'*+-.^_`|~".getBytes(StandardCharsets.US_ASCII)) {
            CLASSES[b] |= TOKEN;
        }
        for (byte b : "-._~!$&'()*+,;=:%[]".getBytes(StandardCharsets.US_ASCII)) {
            CLASSES[b] |= HOST;
        }
    }

    private HttpSyntax() {}

    /** A byte of a method or a header's name. */
    static boolean isToken(byte b) {
        return (CLASSES[b & 0xFF] & TOKEN) != 0;
    }

    /**
     * A byte of a request target: any visible ASCII but {@code #}. Wider than RFC 3986, as browsers
     * send {@code |} and the like unescaped; each such byte stands for itself, unambiguously.
     */
    static boolean isTarget(byte b) {
        return (CLASSES[b & 0xFF] & TARGET) != 0;
    }

    /** A byte of a header's value, blanks included; not a control character. */
    static boolean isFieldValue(byte b) {
        return (CLASSES[b & 0xFF] & FIELD_VALUE) != 0;
    }

    static boolean isHost(byte b) {
        return (CLASSES[b & 0xFF] & HOST) != 0;
    }

    static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    /** The value of a hexadecimal digit, or -1. */
    static int hexValue(int c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        int lower = c | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    /** Whether {@code bytes} from {@code from} to {@code to} are {@code lowerCase}, in any case. */
    static boolean equalsIgnoreCase(byte[] bytes, int from, int to, String lowerCase) {
        if (to - from != lowerCase.length()) {
            return false;
        }
        for (int i = 0; i < lowerCase.length(); i++) {
            int b = bytes[from + i];
            if (b >= 'A' && b <= 'Z') {
                b += 32;
            }
            if (b != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    static boolean equals(byte[] bytes, int from, int to, String text) {
        if (to - from != text.length()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (bytes[from + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
