package dev.quorate.node.api;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.parse.Percent;
import dev.quorate.router.conditional.Request;
import dev.quorate.router.conditional.Request.Condition;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.Units;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Parses the parameters of a request of the client API, and refuses invalid ones. */
final class RequestReader {

    /** Longest key, in bytes after percent-decoding. */
    static final int MAX_KEY_BYTES = 1024;

    private static final String VERSION_HEADER = "x-quorate-version";
    private static final String TRACE_HEADER = "traceparent";
    private static final int MAX_NUMBER_DIGITS = 18;

    /** Ten years. */
    private static final long MAX_TTL_MILLIS = 3_650 * 86_400_000L;

    /**
     * Longest value of a conditional write: it is stored twice, and an answer between nodes has
     * room for it beside the largest other value.
     */
    private static final int MAX_CONDITIONAL_BYTES = 1 << 20;

    private static final byte[] NO_KEY = {};

    private final int members;
    private final QuorumSpec defaultSpec;

    /**
     * @param members how many nodes the cluster has
     * @param defaultSpec for requests without one
     */
    RequestReader(int members, QuorumSpec defaultSpec) {
        this.members = members;
        this.defaultSpec = defaultSpec;
    }

    static boolean isExplained(@Nullable String raw) throws RefusedException {
        return switch (raw) {
            case null -> false;
            case "0" -> false;
            case "1" -> true;
            default -> throw new RefusedException(400, "'explain' must be 1 or 0.");
        };
    }

    static long limit(@Nullable String raw) throws RefusedException {
        if (raw == null) {
            return Long.MAX_VALUE;
        }
        long limit = number(raw);
        if (limit == 0) {
            throw new RefusedException(
                    400, "'limit' must be a number of entities, at least 1, in plain digits.");
        }
        return limit;
    }

    /** A number in plain digits; 0 if it is none, or too long to be any. */
    static long number(String raw) {
        long number = 0;
        boolean isNumber = !raw.isEmpty() && raw.length() <= MAX_NUMBER_DIGITS;
        for (int i = 0; isNumber && i < raw.length(); i++) {
            int digit = raw.charAt(i) - '0';
            isNumber = digit >= 0 && digit <= 9;
            number = 10 * number + digit;
        }
        return isNumber ? number : 0;
    }

    static @Nullable Duration timeToLive(@Nullable String raw) throws RefusedException {
        if (raw == null) {
            return null;
        }
        try {
            return Duration.ofMillis(Units.DURATION.parse(raw, 1_000, MAX_TTL_MILLIS, "s"));
        } catch (IllegalArgumentException e) {
            throw new RefusedException(
                    400, "'ttl' " + e.getMessage() + "; without a unit, in seconds.");
        }
    }

    static ScanScope scope(@Nullable String raw) throws RefusedException {
        return switch (raw) {
            case null -> ScanScope.CLUSTER;
            case "cluster" -> ScanScope.CLUSTER;
            case "node" -> ScanScope.NODE;
            default -> throw new RefusedException(400, "'scope' must be node or cluster.");
        };
    }

    /** Checks a decoded key. */
    static byte[] checked(String name, byte[] key) throws RefusedException {
        if (key.length == 0) {
            throw new RefusedException(
                    400, "'" + name + "' is missing: it must be a key of at least one byte.");
        }
        if (key.length > MAX_KEY_BYTES) {
            throw new RefusedException(
                    414,
                    "'" + name + "' is longer than " + MAX_KEY_BYTES + " bytes after decoding.");
        }
        return key;
    }

    static byte[] key(String name, @Nullable String raw) throws RefusedException {
        return checked(name, raw == null ? NO_KEY : decode(name, raw));
    }

    private static byte[] decode(String name, String raw) throws RefusedException {
        try {
            return Percent.decode(raw);
        } catch (Percent.MalformedEscapeException e) {
            throw new RefusedException(
                    400, "'" + name + "' is not percent-encoded. " + e.getMessage());
        }
    }

    /** The replicas to ask, in either notation; the default if there is none. */
    QuorumSpec spec(QueryParameters parameters) throws RefusedException {
        String replicas = parameters.raw("replicas");
        String ack = parameters.raw("ack");
        String from = parameters.raw("from");
        if (replicas == null && ack == null && from == null) {
            return defaultSpec;
        }
        if (replicas != null && (ack != null || from != null)) {
            throw new RefusedException(400, "'replicas' excludes 'ack' and 'from'.");
        }
        try {
            if (replicas != null) {
                return QuorumSpec.parse(text("replicas", replicas), members);
            }
            String fromText =
                    from == null ? Integer.toString(defaultSpec.from()) : text("from", from);
            if (ack == null) {
                QuorumSpec all = QuorumSpec.parse("1", fromText, members);
                return QuorumSpec.majority(all.from());
            }
            return QuorumSpec.parse(text("ack", ack), fromText, members);
        } catch (QuorumSpec.InvalidException e) {
            throw new RefusedException(400, String.valueOf(e.getMessage()));
        }
    }

    /** Clients may send {@code 2%2F3}; a byte that is no ASCII comes out as no digit. */
    private static String text(String name, String raw) throws RefusedException {
        return new String(decode(name, raw), StandardCharsets.ISO_8859_1);
    }

    static @Nullable Timestamp version(HttpHeaders headers) throws RefusedException {
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
        throw new RefusedException(
                400, "X-Quorate-Version must be one version, as an earlier answer gave it.");
    }

    /**
     * The trace of a request; null if it has none, or none that is valid: the standard wants that
     * ignored, and an operation is worth more than its trace.
     */
    static @Nullable TraceParent trace(HttpHeaders headers) {
        String text = headers.first(TRACE_HEADER);
        return text == null || headers.isRepeated(TRACE_HEADER) ? null : TraceParent.parse(text);
    }

    /** Whether a parameter {@code consistency} asks for a linearizable operation. */
    static boolean isLinearizable(@Nullable String raw, QuorumSpec spec) throws RefusedException {
        if (raw == null || raw.equals("quorum")) {
            return false;
        }
        if (!raw.equals("linearizable")) {
            throw new RefusedException(400, "'consistency' must be quorum or linearizable.");
        }
        if (!spec.isMajority()) {
            throw new RefusedException(
                    400,
                    "'consistency=linearizable' needs the answers of a majority, and "
                            + spec
                            + " is none.");
        }
        return true;
    }

    /**
     * The condition of a write; null if there is none.
     *
     * @throws RefusedException if there is one that these replicas cannot judge
     */
    static @Nullable Condition writeCondition(HttpHeaders headers, QuorumSpec spec)
            throws RefusedException {
        Condition condition = WriteCondition.of(headers);
        if (condition != null && !spec.isMajority()) {
            throw new RefusedException(
                    400,
                    "A conditional write needs the answers of a majority, and "
                            + spec
                            + " is none.");
        }
        return condition;
    }

    /** Checks the length of the value of a conditional write. */
    static void requireConditionalLength(int valueBytes) throws RefusedException {
        if (valueBytes > MAX_CONDITIONAL_BYTES) {
            throw new RefusedException(
                    413,
                    "A conditional write takes a value of at most "
                            + MAX_CONDITIONAL_BYTES
                            + " bytes. Nothing was attempted.");
        }
    }

    private static Timestamp plain(Timestamp version) throws RefusedException {
        if (version.hasStep() && !Request.hasDigest(version)) {
            throw new RefusedException(
                    400,
                    "This X-Quorate-Version was made by a conditional write, for what it replaced:"
                            + " no other write can have it.");
        }
        return version;
    }
}
