package dev.quorate.node.api.request;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.parse.Percent;
import dev.quorate.router.conditional.ConditionalRequest;
import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.Units;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Parses the parameters of a request of the client API, and refuses invalid ones.
 *
 * @param members the number of nodes in the cluster now
 * @param replicationFactor the default of {@code from} now
 */
public record RequestReader(IntSupplier members, IntSupplier replicationFactor) {

    /** Longest key, in bytes after percent-decoding. */
    public static final int MAX_KEY_BYTES = 1024;

    private static final List<String> ENTITY_PARAMETERS =
            List.of("id", "replicas", "ack", "from", "consistency", "explain");
    private static final List<String> READ_PARAMETERS =
            List.of("id", "replicas", "ack", "from", "consistency", "explain", "wait");
    private static final List<String> PUT_PARAMETERS =
            List.of("id", "replicas", "ack", "from", "consistency", "explain", "ttl");
    private static final String MATCH = "if-match";
    private static final String NONE_MATCH = "if-none-match";
    private static final String VERSION_HEADER = "x-quorate-version";
    private static final String TRACE_HEADER = "traceparent";
    private static final int MAX_NUMBER_DIGITS = 18;

    /** Ten years. */
    private static final long MAX_TTL_MILLIS = 3_650 * 86_400_000L;

    /** Less than the 60 s after which many proxies end a request. */
    private static final long MAX_WAIT_MILLIS = 55_000;

    private static final byte[] NO_KEY = {};

    /** The parameters of a request for one entity. */
    public static QueryParameters ofEntity(String method, @Nullable String query)
            throws RequestRefusedException {
        List<String> names =
                switch (method) {
                    case "GET", "HEAD" -> READ_PARAMETERS;
                    case "PUT", "PATCH" -> PUT_PARAMETERS;
                    default -> ENTITY_PARAMETERS;
                };
        return QueryParameters.parse(query, names);
    }

    public static boolean isExplained(@Nullable String raw) throws RequestRefusedException {
        return is("explain", raw, "1", "0");
    }

    /** Whether a parameter has a value, and not the other one, which is its default. */
    public static boolean is(String name, @Nullable String raw, String value, String other)
            throws RequestRefusedException {
        if (raw != null && !raw.equals(value) && !raw.equals(other)) {
            throw new RequestRefusedException(
                    400, "'" + name + "' must be " + value + " or " + other + ".");
        }
        return value.equals(raw);
    }

    public static long limit(@Nullable String raw) throws RequestRefusedException {
        if (raw == null) {
            return Long.MAX_VALUE;
        }
        long limit = number(raw);
        if (limit == 0) {
            throw new RequestRefusedException(
                    400, "'limit' must be a number of entities, at least 1, in plain digits.");
        }
        return limit;
    }

    /** A number in plain digits; 0 if malformed or too long. */
    public static long number(String raw) {
        long number = 0;
        boolean isNumber = !raw.isEmpty() && raw.length() <= MAX_NUMBER_DIGITS;
        for (int i = 0; isNumber && i < raw.length(); i++) {
            int digit = raw.charAt(i) - '0';
            isNumber = digit >= 0 && digit <= 9;
            number = 10 * number + digit;
        }
        return isNumber ? number : 0;
    }

    public static @Nullable Duration timeToLive(@Nullable String raw)
            throws RequestRefusedException {
        if (raw == null) {
            return null;
        }
        try {
            return Duration.ofMillis(Units.DURATION.parse(raw, 1_000, MAX_TTL_MILLIS, "s"));
        } catch (IllegalArgumentException e) {
            throw new RequestRefusedException(
                    400, "'ttl' " + e.getMessage() + "; without a unit, in seconds.");
        }
    }

    /** The time to live that a PATCH gives a value; null for none. */
    public static @Nullable Duration newTimeToLive(@Nullable String raw, int bodyBytes)
            throws RequestRefusedException {
        if (raw == null || bodyBytes > 0) {
            throw new RequestRefusedException(
                    400, "A PATCH has no body, and a 'ttl': a duration, such as 5m, or none.");
        }
        return raw.equals("none") ? null : timeToLive(raw);
    }

    /** How long a read waits for a change; null if it does not. */
    public static @Nullable Duration waitTime(@Nullable String raw) throws RequestRefusedException {
        if (raw == null) {
            return null;
        }
        try {
            return Duration.ofMillis(Units.DURATION.parse(raw, 1, MAX_WAIT_MILLIS, null));
        } catch (IllegalArgumentException e) {
            throw new RequestRefusedException(400, "'wait' " + e.getMessage() + ".");
        }
    }

    public static ScanScope scope(@Nullable String raw) throws RequestRefusedException {
        return is("scope", raw, "node", "cluster") ? ScanScope.NODE : ScanScope.CLUSTER;
    }

    public static byte[] checked(String name, byte[] key) throws RequestRefusedException {
        if (key.length == 0) {
            throw new RequestRefusedException(
                    400, "'" + name + "' is missing: it must be a key of at least one byte.");
        }
        if (key.length > MAX_KEY_BYTES) {
            throw new RequestRefusedException(
                    414,
                    "'" + name + "' is longer than " + MAX_KEY_BYTES + " bytes after decoding.");
        }
        return key;
    }

    public static byte[] key(String name, @Nullable String raw) throws RequestRefusedException {
        return checked(name, raw == null ? NO_KEY : decode(name, raw));
    }

    private static byte[] decode(String name, String raw) throws RequestRefusedException {
        try {
            return Percent.decode(raw);
        } catch (Percent.MalformedEscapeException e) {
            throw new RequestRefusedException(
                    400, "'" + name + "' is not percent-encoded. " + e.getMessage());
        }
    }

    /** The quorum in either notation; the default without one. */
    public QuorumSpec spec(QueryParameters parameters) throws RequestRefusedException {
        String replicas = parameters.raw("replicas");
        String ack = parameters.raw("ack");
        String from = parameters.raw("from");
        if (replicas == null && ack == null && from == null) {
            return QuorumSpec.majority(replicationFactor.getAsInt()).asDefault();
        }
        if (replicas != null && (ack != null || from != null)) {
            throw new RequestRefusedException(400, "'replicas' excludes 'ack' and 'from'.");
        }
        try {
            int factor = replicationFactor.getAsInt();
            String fromText = from == null ? Integer.toString(factor) : text("from", from);
            QuorumSpec spec =
                    replicas != null
                            ? QuorumSpec.parse(text("replicas", replicas), members.getAsInt())
                            : QuorumSpec.parse(
                                    ack == null ? "1" : text("ack", ack),
                                    fromText,
                                    members.getAsInt());
            QuorumSpec asked =
                    replicas == null && ack == null ? QuorumSpec.majority(spec.from()) : spec;
            return asked.from() == factor ? asked.asDefault() : asked;
        } catch (QuorumSpec.InvalidException e) {
            throw new RequestRefusedException(400, String.valueOf(e.getMessage()));
        }
    }

    /** Clients may send {@code 2%2F3}; bytes outside ASCII do not become digits. */
    private static String text(String name, String raw) throws RequestRefusedException {
        return new String(decode(name, raw), StandardCharsets.ISO_8859_1);
    }

    public static @Nullable Timestamp version(HttpHeaders headers) throws RequestRefusedException {
        String text = headers.first(VERSION_HEADER);
        if (text == null) {
            return null;
        }
        try {
            if (!headers.isRepeated(VERSION_HEADER)) {
                return plain(Timestamp.parse(text));
            }
        } catch (IllegalArgumentException e) {
            // Answered below.
        }
        throw new RequestRefusedException(
                400, "X-Quorate-Version must be one version, as an earlier answer gave it.");
    }

    /** The trace of a request; null if missing or invalid, as the standard requires. */
    public static @Nullable TraceParent trace(HttpHeaders headers) {
        String text = headers.first(TRACE_HEADER);
        return text == null || headers.isRepeated(TRACE_HEADER) ? null : TraceParent.parse(text);
    }

    /** Whether a parameter {@code consistency} asks for a linearizable operation. */
    public static boolean isLinearizable(@Nullable String raw, QuorumSpec spec)
            throws RequestRefusedException {
        boolean isLinearizable = is("consistency", raw, "linearizable", "quorum");
        if (isLinearizable) {
            requireMajority("'consistency=linearizable'", spec);
        }
        return isLinearizable;
    }

    /**
     * The condition of a write; null if none.
     *
     * @throws RequestRefusedException if it is invalid, or the quorum is not a majority
     */
    public static @Nullable Condition writeCondition(HttpHeaders headers, QuorumSpec spec)
            throws RequestRefusedException {
        Condition condition = condition(headers);
        if (condition != null) {
            requireMajority("A conditional write", spec);
        }
        return condition;
    }

    private static void requireMajority(String what, QuorumSpec spec)
            throws RequestRefusedException {
        if (!spec.isMajority()) {
            throw new RequestRefusedException(
                    400, what + " needs the answers of a majority, and " + spec + " is none.");
        }
    }

    /**
     * The version that a value must have for a PATCH; null for any.
     *
     * @throws RequestRefusedException if the headers are those of another write, or the quorum is
     *     not a majority
     */
    public static @Nullable Timestamp renewedVersion(HttpHeaders headers, QuorumSpec spec)
            throws RequestRefusedException {
        requireMajority("A change of the expiry", spec);
        if (headers.first(VERSION_HEADER) != null) {
            throw new RequestRefusedException(
                    400, "A PATCH takes no X-Quorate-Version. Use If-Match.");
        }
        return switch (condition(headers)) {
            case null -> null;
            case Condition.Present present -> null;
            case Condition.Is(Timestamp version) -> version;
            case Condition.Never never -> Timestamp.ZERO; // no entry has it
            case Condition.Absent absent -> throw notImplemented("If-None-Match in a PATCH is");
        };
    }

    /** Checks the length of the value of a conditional write. */
    public static void requireConditionalLength(int valueBytes) throws RequestRefusedException {
        if (valueBytes > ConditionalRequest.MAX_VALUE_BYTES) {
            throw new RequestRefusedException(
                    413,
                    "A conditional write takes a value of at most "
                            + ConditionalRequest.MAX_VALUE_BYTES
                            + " bytes. Nothing was attempted.");
        }
    }

    private static Timestamp plain(Timestamp version) throws RequestRefusedException {
        if (version.hasStep() && !ConditionalRequest.hasDigest(version)) {
            throw new RequestRefusedException(
                    400,
                    "This X-Quorate-Version was made by a conditional write, for what it replaced:"
                            + " no other write can have it.");
        }
        return version;
    }

    /**
     * The condition of a PUT or DELETE of an entity (RFC 9110, 13.1.1 and 13.1.2), null if none:
     * {@code If-Match} with one tag or {@code *}, or {@code If-None-Match: *}. Other conditions
     * that the RFC allows are refused with 501, invalid ones with 400.
     */
    private static @Nullable Condition condition(HttpHeaders headers)
            throws RequestRefusedException {
        if (!headers.mayChangeMeaning()) {
            return null;
        }
        String match = headers.first(MATCH);
        String noneMatch = headers.first(NONE_MATCH);
        if (match == null && noneMatch == null) {
            return null;
        }
        if (match != null && noneMatch != null) {
            throw notImplemented("If-Match and If-None-Match in one write are");
        }
        if (headers.isRepeated(match == null ? NONE_MATCH : MATCH)) {
            throw notImplemented("Several tags in the condition of a write are");
        }
        return match == null ? noneMatch(String.valueOf(noneMatch)) : match(match);
    }

    private static Condition noneMatch(String tags) throws RequestRefusedException {
        if (!tags.strip().equals("*")) {
            throw notImplemented("If-None-Match with other than * is, in a write,");
        }
        return Condition.Absent.ABSENT;
    }

    private static Condition match(String tags) throws RequestRefusedException {
        String tag = tags.strip();
        if (tag.equals("*")) {
            return Condition.Present.PRESENT;
        }
        if (tag.contains(",")) {
            throw notImplemented("Several tags in the condition of a write are");
        }
        if (tag.startsWith("W/")) {
            throw new RequestRefusedException(
                    400,
                    "If-Match of a write takes no weak ETag (W/\"...\"): it would never match. A proxy"
                            + " between this node and the client weakens ETags when it compresses"
                            + " values: switch that off there, or take the version from"
                            + " X-Quorate-Version. Nothing was attempted.");
        }
        if (tag.length() < 2 || !tag.startsWith("\"") || tag.indexOf('"', 1) != tag.length() - 1) {
            throw new RequestRefusedException(
                    400,
                    "If-Match takes an ETag in quotation marks, such as If-Match:"
                            + " \"0199f3c2a1b40000-5d2c7a91\", or *. Nothing was attempted.");
        }
        Timestamp version = versionOf(tag.substring(1, tag.length() - 1));
        // A tag that is not a version matches nothing.
        return version == null ? Condition.Never.NEVER : new Condition.Is(version);
    }

    private static @Nullable Timestamp versionOf(String opaque) {
        try {
            return Timestamp.parse(opaque);
        } catch (IllegalArgumentException noVersion) {
            return null;
        }
    }

    private static RequestRefusedException notImplemented(String what) {
        return new RequestRefusedException(501, what + " not implemented. Nothing was attempted.");
    }
}
