package dev.quorate.node.api.request;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a PUT or DELETE of an entity (RFC 9110, 13.1.1 and 13.1.2): {@code If-Match}
 * with one tag or {@code *}, or {@code If-None-Match: *}. Other conditions that the RFC allows are
 * refused with 501, invalid ones with 400.
 */
final class WriteCondition {

    private static final String MATCH = "if-match";
    private static final String NONE_MATCH = "if-none-match";

    private WriteCondition() {}

    /** The condition in a request's head; null if none. */
    static @Nullable Condition of(HttpHeaders headers) throws RequestRefusedException {
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
        Timestamp version = version(tag.substring(1, tag.length() - 1));
        // A tag that is not a version matches nothing.
        return version == null ? Condition.Never.NEVER : new Condition.Is(version);
    }

    private static @Nullable Timestamp version(String opaque) {
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
