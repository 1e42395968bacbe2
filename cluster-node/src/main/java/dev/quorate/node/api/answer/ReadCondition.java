package dev.quorate.node.api.answer;

import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a read of an entity, by its ETag (RFC 9110, 13.1.1 and 13.1.2). Conditions by
 * time are ignored, as the RFC requires without Last-Modified.
 *
 * @param match the value of If-Match; null without one
 * @param noneMatch the value of If-None-Match; null without one
 */
public record ReadCondition(@Nullable String match, @Nullable String noneMatch) {

    private static final String VERSION = "[0-9a-f]{16}-[0-9a-f]{8}(-[0-9a-f]{16})?";
    private static final String TAG = "\\s*(\\*|(W/)?\"" + VERSION + "\")\\s*";
    private static final Pattern TAGS = Pattern.compile(TAG + "(," + TAG + ")*+");

    /** The conditions in a request's head; null if none. */
    public static @Nullable ReadCondition of(HttpHeaders headers) {
        if (!headers.mayChangeMeaning()) {
            return null;
        }
        String match = headers.first("if-match");
        String noneMatch = headers.first("if-none-match");
        return match == null && noneMatch == null ? null : new ReadCondition(match, noneMatch);
    }

    /**
     * The condition of a read that waits, null without one: {@code If-None-Match} with ETags.
     *
     * @throws RequestRefusedException if there is another condition
     */
    public static @Nullable ReadCondition ofWait(HttpHeaders headers)
            throws RequestRefusedException {
        ReadCondition condition = of(headers);
        if (condition == null
                || (condition.match == null
                        && !headers.isRepeated("if-none-match")
                        && TAGS.matcher(String.valueOf(condition.noneMatch)).matches())) {
            return condition;
        }
        throw new RequestRefusedException(
                400,
                "'wait' takes one If-None-Match with the ETag of an earlier answer, such as"
                        + " \"0199f3c2a1b40000-5d2c7a91\", and no If-Match.");
    }

    /** Tests whether a client waits while the live value has a version; null for no value. */
    public static Predicate<@Nullable Timestamp> isSame(@Nullable ReadCondition condition) {
        String tags = condition == null ? null : condition.noneMatch;
        return version ->
                version == null ? tags == null : tags != null && lists(tags, version, true);
    }

    /** The answer instead of an entity; null if the entity is to be sent. */
    public @Nullable HttpResponse answerFor(Entry entry) {
        Timestamp version = entry.timestamp();
        if (match != null && !lists(match, version, false)) {
            return OutcomeAnswers.ofEntry(412, entry);
        }
        if (noneMatch != null && lists(noneMatch, version, true)) {
            return OutcomeAnswers.ofEntry(304, entry);
        }
        return null;
    }

    /** Whether a list of tags includes a version's tag. Tags of nodes contain no comma. */
    private static boolean lists(String tags, Timestamp version, boolean isWeak) {
        String wanted = "\"" + version + "\"";
        for (String each : tags.split(",", -1)) {
            String tag = each.strip();
            String opaque = isWeak && tag.startsWith("W/") ? tag.substring(2) : tag;
            if (tag.equals("*") || opaque.equals(wanted)) {
                return true;
            }
        }
        return false;
    }
}
