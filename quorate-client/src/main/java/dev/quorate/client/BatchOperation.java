package dev.quorate.client;

import java.time.Duration;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** One operation of a batch. Immutable. */
public final class BatchOperation {

    private final String op;
    private final Key key;
    private final byte @Nullable [] value;
    private final @Nullable Condition condition;
    private final @Nullable Duration timeToLive;

    private BatchOperation(
            String op,
            Key key,
            byte @Nullable [] value,
            @Nullable Condition condition,
            @Nullable Duration timeToLive) {
        this.op = op;
        this.key = key;
        this.value = value;
        this.condition = condition;
        this.timeToLive = timeToLive;
    }

    /** Reads a value of up to 1 MiB. */
    public static BatchOperation get(Key key) {
        return new BatchOperation("get", key, null, null, null);
    }

    /** Writes a value, which is not copied. */
    public static BatchOperation put(Key key, byte[] value) {
        return new BatchOperation("put", key, value, null, null);
    }

    public static BatchOperation delete(Key key) {
        return new BatchOperation("delete", key, null, null, null);
    }

    /**
     * The same write, under a condition.
     *
     * @throws IllegalArgumentException if this is a read
     */
    public BatchOperation onlyIf(Condition newCondition) {
        if (!isWrite()) {
            throw new IllegalArgumentException("Only a write has a condition.");
        }
        return new BatchOperation(op, key, value, newCondition, timeToLive);
    }

    /**
     * The same put, of a value that expires.
     *
     * @param newTimeToLive whole seconds, 1 s to ten years
     * @throws IllegalArgumentException if this is no put
     */
    public BatchOperation timeToLive(Duration newTimeToLive) {
        if (value == null) {
            throw new IllegalArgumentException("Only a put has a time to live.");
        }
        Times.requireTimeToLive(newTimeToLive);
        return new BatchOperation(op, key, value, condition, newTimeToLive);
    }

    Key key() {
        return key;
    }

    boolean isWrite() {
        return !op.equals("get");
    }

    boolean isConditional() {
        return condition != null;
    }

    /** Whether the client may choose its version: a time to live would count from there. */
    boolean mayBeNamed() {
        return condition != null && timeToLive == null;
    }

    /** Its line, with a version if it has one. */
    String line(@Nullable Version version) {
        StringBuilder json = new StringBuilder("{\"op\":\"").append(op).append('"');
        Base64.Encoder base64 = Base64.getEncoder();
        member(json, "keyBase64", base64.encodeToString(key.shared()));
        if (value != null) {
            member(json, "valueBase64", base64.encodeToString(value));
        }
        if (timeToLive != null) {
            json.append(",\"ttl\":").append(timeToLive.toSeconds());
        }
        if (condition != null) {
            member(json, condition.member(), condition.memberValue());
        }
        if (version != null) {
            member(json, "version", version.text());
        }
        return json.append("}\n").toString();
    }

    private static void member(StringBuilder json, String name, String text) {
        json.append(",\"").append(name).append("\":\"").append(text).append('"');
    }
}
