package dev.quorate.client;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A key with its value. Two entries are equal if their keys and versions are equal.
 *
 * @param value 0 bytes to 16 MiB; not copied; empty in a range of keys only
 * @param contentType the content type of the value; null without one, but {@code
 *     application/octet-stream} in the result of {@code get}
 * @param expires when the value expires; null for never
 * @param explanation how the replicas answered: a sentence, and a line for each replica ({@code n1;
 *     answer=value; version=…}). Empty unless {@link ReadOptions#explained} asks for it
 */
public record Entry(
        Key key,
        byte[] value,
        Version version,
        @Nullable String contentType,
        @Nullable Instant expires,
        List<String> explanation) {

    public Entry {
        explanation = List.copyOf(explanation);
    }

    /** An entry without an explanation. */
    public Entry(
            Key key,
            byte[] value,
            Version version,
            @Nullable String contentType,
            @Nullable Instant expires) {
        this(key, value, version, contentType, expires, List.of());
    }

    /** An entry without a content type that never expires. */
    public Entry(Key key, byte[] value, Version version) {
        this(key, value, version, null, null);
    }

    /**
     * Parses a line of an export, in the format of {@code GET /v0/entities} as {@code
     * application/x-ndjson}.
     *
     * @throws IllegalArgumentException if it is not the line of an entry
     */
    public static Entry fromJson(String line) {
        try {
            return of(Json.object(line), true);
        } catch (Json.BadAnswerException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * Parses an entry of a range.
     *
     * @throws IllegalArgumentException if a member is invalid
     */
    static Entry of(Json.Members line, boolean hasValue) throws Json.BadAnswerException {
        Base64.Decoder base64 = Base64.getDecoder();
        String type = line.has("contentType") ? line.text("contentType") : null;
        long expires = line.has("expires") ? line.number("expires") : 0;
        if (expires < 0 || (type != null && !type.matches("[ -~]{1,255}"))) {
            throw new Json.BadAnswerException("an expiry or a content type that cannot be");
        }
        return new Entry(
                Key.of(base64.decode(line.text("key"))),
                base64.decode(hasValue ? line.text("value") : ""),
                new Version(line.text("version")),
                type,
                expires == 0 ? null : Instant.ofEpochMilli(expires));
    }

    /** The line that {@link #fromJson} parses, without a line feed. */
    public String toJson() {
        Base64.Encoder base64 = Base64.getEncoder();
        String more = expires == null ? "" : ",\"expires\":" + expires.toEpochMilli();
        if (contentType != null) {
            more += ",\"contentType\":\"" + Json.escaped(contentType) + "\"";
        }
        return "{\"key\":\""
                + base64.encodeToString(key.shared())
                + "\",\"value\":\""
                + base64.encodeToString(value)
                + "\""
                + more
                + ",\"version\":\""
                + version
                + "\"}";
    }

    /** The value as text in UTF-8. */
    public String text() {
        return new String(value, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Entry entry
                && key.equals(entry.key)
                && version.equals(entry.version);
    }

    @Override
    public int hashCode() {
        return 31 * key.hashCode() + version.hashCode();
    }

    @Override
    public String toString() {
        return key + " (" + value.length + " bytes, " + version + ")";
    }
}
