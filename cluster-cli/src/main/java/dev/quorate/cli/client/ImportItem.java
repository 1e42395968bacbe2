package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.node.http.Percent;
import dev.quorate.storage.Timestamp;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * An entry that is imported, and how it is sent.
 *
 * @param line of the file, from 1
 */
record ImportItem(EntryLine entry, long line, Sending sending) {

    /** On what terms it is stored. */
    enum Sending {
        /** With its version: if its key has nothing newer. */
        VERSIONED,
        /** With a version of today, if its key has no value. */
        IF_ABSENT,
        /** With a version of today, whatever its key has. */
        UNCONDITIONAL
    }

    /** The longest line of a batch. */
    static final int MAX_LINE_BYTES = 1 << 20;

    /** What a line has beside key and value, with the longest content type. */
    private static final int OVERHEAD_BYTES = 1_024;

    private static final long MILLIS_PER_SECOND = 1_000;

    /**
     * An entry that has not been sent. A version with a step is that of a conditional write, and no
     * other write can have it; nor can one have an expiry that is no whole number of seconds after
     * its version.
     */
    static ImportItem of(EntryLine entry, long line) throws IOException {
        Timestamp version = version(entry);
        long livesMillis = entry.expiresAtMillis() - version.wallMillis();
        boolean isExact =
                entry.expiresAtMillis() == 0
                        || (livesMillis > 0 && livesMillis % MILLIS_PER_SECOND == 0);
        boolean isVersioned = !version.hasStep() && isExact;
        return new ImportItem(entry, line, isVersioned ? Sending.VERSIONED : Sending.IF_ABSENT);
    }

    private static Timestamp version(EntryLine entry) throws IOException {
        try {
            return Timestamp.parse(entry.version());
        } catch (IllegalArgumentException e) {
            throw new IOException("it has no version", e);
        }
    }

    /** The same, sent in another way. */
    ImportItem sent(Sending other) {
        return new ImportItem(entry, line, other);
    }

    boolean isVersioned() {
        return sending == Sending.VERSIONED;
    }

    /** Whether it has expired, in milliseconds since 1970. */
    boolean isExpired(long wallMillis) {
        return entry.expiresAtMillis() != 0 && entry.expiresAtMillis() <= wallMillis;
    }

    /** Bytes of its line in a batch, at most. */
    int bytes() {
        return entry.key().length + entry.value().length + OVERHEAD_BYTES;
    }

    /** Whether it is too long for a line of a batch. */
    boolean isLarge() {
        return bytes() > MAX_LINE_BYTES;
    }

    /** Seconds that it lives; counted from its version or, without one, from now. */
    private long secondsToLive(long wallMillis) throws IOException {
        long from = isVersioned() ? version(entry).wallMillis() : wallMillis;
        return Math.ceilDiv(entry.expiresAtMillis() - from, MILLIS_PER_SECOND);
    }

    /** Appends its line of a batch. */
    void writeTo(ByteArrayOutputStream batch, long wallMillis) throws IOException {
        batch.write("{\"op\":\"put\",\"keyBase64\":\"".getBytes(US_ASCII));
        batch.write(entry.key());
        batch.write("\",\"valueBase64\":\"".getBytes(US_ASCII));
        batch.write(entry.value());
        StringBuilder more = new StringBuilder("\"");
        if (entry.expiresAtMillis() != 0) {
            more.append(",\"ttl\":").append(secondsToLive(wallMillis));
        }
        String type = entry.contentType();
        if (type != null) {
            String escaped = type.replace("\\", "\\\\").replace("\"", "\\\"");
            more.append(",\"contentType\":\"").append(escaped).append('"');
        }
        more.append(
                switch (sending) {
                    case VERSIONED -> ",\"version\":\"" + entry.version() + "\"}\n";
                    case IF_ABSENT -> ",\"ifNoneMatch\":\"*\"}\n";
                    case UNCONDITIONAL -> "}\n";
                });
        batch.write(more.toString().getBytes(US_ASCII));
    }

    /**
     * Where it is put by a request of its own.
     *
     * @param query further parameters
     */
    String target(String query, long wallMillis) throws IOException {
        return readTarget(query)
                + (entry.expiresAtMillis() == 0 ? "" : "&ttl=" + secondsToLive(wallMillis));
    }

    String readTarget(String query) throws IOException {
        return "/v0/entity?id=" + Percent.encode(decoded(entry.key())) + query;
    }

    /** The headers of a request of its own, without a condition. */
    List<String> headers() {
        List<String> headers = new ArrayList<>();
        if (entry.contentType() != null) {
            headers.add("Content-Type: " + entry.contentType());
        }
        if (isVersioned()) {
            headers.add("X-Quorate-Version: " + entry.version());
        }
        return headers;
    }

    byte[] value() throws IOException {
        return decoded(entry.value());
    }

    private static byte[] decoded(byte[] base64) throws IOException {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IOException("it is not base64", e);
        }
    }
}
