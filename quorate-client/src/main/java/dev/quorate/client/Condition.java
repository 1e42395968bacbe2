package dev.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * The condition of a write. Of writes that require the same version, at most one succeeds. Each
 * takes effect at most once, even if it is sent several times.
 */
public final class Condition {

    private final String header;
    private final @Nullable Version version;

    private Condition(String header, @Nullable Version version) {
        this.header = header;
        this.version = version;
    }

    /** The key has the value with this version. */
    public static Condition ifMatch(Version version) {
        return new Condition("If-Match", version);
    }

    /** The key has a value. */
    public static Condition ifPresent() {
        return new Condition("If-Match", null);
    }

    /** The key has no value: it was never written, was deleted, or has expired. */
    public static Condition ifAbsent() {
        return new Condition("If-None-Match", null);
    }

    String header() {
        return header;
    }

    String headerValue() {
        return version == null ? "*" : "\"" + version + "\"";
    }

    /** The name of the JSON member in a batch. */
    String member() {
        return header.equals("If-Match") ? "ifMatch" : "ifNoneMatch";
    }

    String memberValue() {
        return version == null ? "*" : version.text();
    }

    @Override
    public String toString() {
        return header + ": " + headerValue();
    }
}
