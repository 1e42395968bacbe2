package dev.quorate.client;

import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An operation of a batch. Immutable. */
public final class BatchOperation {

    private static final Set<String> MEMBERS =
            Set.of(
                    "op",
                    "key",
                    "keyBase64",
                    "value",
                    "valueBase64",
                    "ttl",
                    "contentType",
                    "version",
                    "ifMatch",
                    "ifNoneMatch");

    private final String op;
    private final Key key;
    private final byte @Nullable [] value;
    private final @Nullable Condition condition;

    /** The time to live, the content type and the version. */
    private final WriteOptions options;

    private BatchOperation(
            String op,
            Key key,
            byte @Nullable [] value,
            @Nullable Condition condition,
            WriteOptions options) {
        this.op = op;
        this.key = key;
        this.value = value;
        this.condition = condition;
        this.options = options;
    }

    private static BatchOperation of(String op, Key key, byte @Nullable [] value) {
        return new BatchOperation(op, key, value, null, WriteOptions.DEFAULT);
    }

    /** Reads a value of up to 1 MiB. */
    public static BatchOperation get(Key key) {
        return of("get", key, null);
    }

    /** Writes a value. The array is not copied. */
    public static BatchOperation get(String key) {
        return get(Key.of(key));
    }

    /** A put of text in UTF-8. */
    public static BatchOperation put(String key, String value) {
        return put(Key.of(key), Json.bytes(value));
    }

    public static BatchOperation delete(String key) {
        return delete(Key.of(key));
    }

    public static BatchOperation put(Key key, byte[] value) {
        return of("put", key, value);
    }

    public static BatchOperation delete(Key key) {
        return of("delete", key, null);
    }

    /**
     * Parses a line of {@code POST /v0/entities}, such as {@code
     * {"op":"put","key":"a","value":"1"}}.
     *
     * @throws IllegalArgumentException if it is not the line of an operation, or is a get with
     *     anything but a key
     */
    public static BatchOperation fromJson(String line) {
        try {
            return of(Json.object(line));
        } catch (Json.BadAnswerException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static BatchOperation of(Json.Members line) throws Json.BadAnswerException {
        for (Object name : line.members().keySet()) {
            if (!MEMBERS.contains(name)) {
                throw new Json.BadAnswerException("no operation has '" + shown(name) + "'");
            }
        }
        String op = line.text("op");
        Key key = Key.of(bytes(line, "key"));
        BatchOperation operation =
                switch (op) {
                    case "get" -> get(key);
                    case "put" -> put(key, bytes(line, "value"));
                    case "delete" -> delete(key);
                    default ->
                            throw new Json.BadAnswerException(
                                    "no operation is '" + shown(op) + "': get, put and delete are");
                };
        if (operation.value == null && (line.has("value") || line.has("valueBase64"))) {
            throw new Json.BadAnswerException("no value belongs to a " + op);
        }
        if (line.has("ttl")) {
            operation = operation.timeToLive(Duration.ofSeconds(line.number("ttl")));
        }
        if (line.has("contentType")) {
            operation = operation.contentType(line.text("contentType"));
        }
        if (line.has("version")) {
            operation = operation.version(new Version(line.text("version")));
        }
        Condition condition = condition(line);
        return condition == null ? operation : operation.onlyIf(condition);
    }

    private static @Nullable Condition condition(Json.Members line) throws Json.BadAnswerException {
        if (line.has("ifNoneMatch")) {
            if (line.has("ifMatch") || !line.text("ifNoneMatch").equals("*")) {
                throw new Json.BadAnswerException("no write has an 'ifNoneMatch' but \"*\" alone");
            }
            return Condition.ifAbsent();
        }
        if (!line.has("ifMatch")) {
            return null;
        }
        String version = line.text("ifMatch");
        return version.equals("*")
                ? Condition.ifPresent()
                : Condition.ifMatch(new Version(version));
    }

    /** A member that is text, or with another name base64. */
    private static byte[] bytes(Json.Members line, String name) throws Json.BadAnswerException {
        String base64 = name + "Base64";
        if (line.has(name) && line.has(base64)) {
            throw new Json.BadAnswerException(
                    "no line has both '" + name + "' and '" + base64 + "'");
        }
        return line.has(base64)
                ? Base64.getDecoder().decode(line.text(base64))
                : Json.bytes(line.text(name));
    }

    private static String shown(Object name) {
        return Json.shown(String.valueOf(name));
    }

    /**
     * The same write with a condition.
     *
     * @throws IllegalArgumentException if this is a read
     */
    public BatchOperation onlyIf(Condition newCondition) {
        if (!isWrite()) {
            throw new IllegalArgumentException("Only a write has a condition.");
        }
        return new BatchOperation(op, key, value, newCondition, options);
    }

    /**
     * The same put with a time to live.
     *
     * @param newTimeToLive whole seconds, 1 s to ten years
     * @throws IllegalArgumentException if this is not a put
     */
    public BatchOperation timeToLive(Duration newTimeToLive) {
        if (value == null) {
            throw new IllegalArgumentException("Only a put has a time to live.");
        }
        return with(options.timeToLive(newTimeToLive));
    }

    /**
     * The same put with a content type.
     *
     * @throws IllegalArgumentException if this is not a put
     */
    public BatchOperation contentType(String type) {
        if (value == null) {
            throw new IllegalArgumentException("Only a put has a content type.");
        }
        return with(options.contentType(type));
    }

    /**
     * The same write with a given version, such as that of a copied entry. It supersedes nothing
     * newer, and takes effect once even if it is sent several times. A time to live counts from the
     * version. Nodes refuse a version that is more than three hours old, and a version of another
     * write of the key.
     *
     * @throws IllegalArgumentException if this is a read
     */
    public BatchOperation version(Version given) {
        if (!isWrite()) {
            throw new IllegalArgumentException("Only a write has a version.");
        }
        return with(options.version(given));
    }

    private BatchOperation with(WriteOptions newOptions) {
        return new BatchOperation(op, key, value, condition, newOptions);
    }

    @Nullable Version version() {
        return options.version();
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

    /** Whether the client may choose the version: a time to live would count from it. */
    boolean mayBeNamed() {
        return condition != null && options.timeToLive() == null && version() == null;
    }

    /** The line of the operation in a request, with a version if it is not null. */
    String line(@Nullable Version sent) {
        StringBuilder json = new StringBuilder("{\"op\":\"").append(op).append('"');
        Base64.Encoder base64 = Base64.getEncoder();
        member(json, "keyBase64", base64.encodeToString(key.shared()));
        if (value != null) {
            member(json, "valueBase64", base64.encodeToString(value));
        }
        if (options.timeToLive() != null) {
            json.append(",\"ttl\":").append(options.timeToLive().toSeconds());
        }
        if (condition != null) {
            member(json, condition.member(), condition.memberValue());
        }
        if (options.contentType() != null) {
            member(json, "contentType", Json.escaped(options.contentType()));
        }
        if (sent != null) {
            member(json, "version", sent.text());
        }
        return json.append("}\n").toString();
    }

    private static void member(StringBuilder json, String name, String text) {
        json.append(",\"").append(name).append("\":\"").append(text).append('"');
    }
}
