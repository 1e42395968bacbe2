package dev.quorate.client;

import java.nio.charset.StandardCharsets;

/** Texts in messages and in URLs. */
final class Text {

    private static final int MAX_SHOWN = 200;
    private static final String PLAIN =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    private Text() {}

    /** What a server sent, truncated and reduced to printable ASCII. */
    static String shown(String text) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < Math.min(text.length(), MAX_SHOWN); i++) {
            char c = text.charAt(i);
            shown.append(c >= ' ' && c <= '~' ? c : '?');
        }
        return shown.append(text.length() > MAX_SHOWN ? "..." : "").toString();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A content type, as a JSON string has it. */
    static String escaped(String type) {
        return type.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    /** Percent-encodes a key (RFC 3986). */
    static String encoded(byte[] key) {
        StringBuilder encoded = new StringBuilder(key.length + 16);
        for (byte each : key) {
            if (PLAIN.indexOf(each) >= 0) {
                encoded.append((char) each);
            } else {
                encoded.append('%')
                        .append(Character.toUpperCase(Character.forDigit(each >> 4 & 0xF, 16)))
                        .append(Character.toUpperCase(Character.forDigit(each & 0xF, 16)));
            }
        }
        return encoded.toString();
    }
}
