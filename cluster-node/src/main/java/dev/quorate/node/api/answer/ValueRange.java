package dev.quorate.node.api.answer;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.storage.Timestamp;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The range of bytes that a GET requests (RFC 9110, 14). A malformed range, another unit or several
 * ranges are ignored, as the RFC allows: the whole value is sent.
 *
 * @param first the first byte; -1 for the last bytes
 * @param last the last byte, inclusive; or, if {@code first} is -1, the number of bytes
 * @param ifRange the value of If-Range; null without one
 */
public record ValueRange(long first, long last, @Nullable String ifRange) {

    private static final String UNIT = "bytes=";
    private static final int MAX_DIGITS = 18;
    private static final long INVALID = -2;

    /** The range in a request's head; null for the whole. */
    public static @Nullable ValueRange of(String method, HttpHeaders headers) {
        if (!headers.mayChangeMeaning() || !method.equals("GET")) {
            return null;
        }
        String text = headers.first("range");
        if (text == null
                || !text.regionMatches(true, 0, UNIT, 0, UNIT.length())
                || headers.isRepeated("range")
                || headers.isRepeated("if-range")) {
            return null;
        }
        return parse(text.substring(UNIT.length()).strip(), headers.first("if-range"));
    }

    private static @Nullable ValueRange parse(String spec, @Nullable String ifRange) {
        int dash = spec.indexOf('-');
        if (dash < 0) {
            return null;
        }
        String from = spec.substring(0, dash);
        String to = spec.substring(dash + 1);
        long first = from.isEmpty() ? -1 : number(from);
        long last = to.isEmpty() && !from.isEmpty() ? Long.MAX_VALUE : number(to);
        return first == INVALID || last == INVALID || last < first
                ? null
                : new ValueRange(first, last, ifRange);
    }

    /** The number; the largest long if it has too many digits; {@link #INVALID} if malformed. */
    private static long number(String digits) {
        if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return INVALID;
        }
        return digits.length() > MAX_DIGITS ? Long.MAX_VALUE : Long.parseLong(digits);
    }

    /**
     * The answer to the request.
     *
     * @param whole the answer with the whole value, 200
     * @param version the version of the value
     */
    HttpResponse cut(HttpResponse whole, Timestamp version) {
        boolean isOther = ifRange != null && !ifRange.equals("\"" + version + "\"");
        byte[] value = whole.body();
        boolean isSuffix = first < 0;
        if (isOther || (isSuffix && value.length == 0 && last > 0)) {
            return whole;
        }
        long from = isSuffix ? Math.max(0, value.length - last) : first;
        long to = isSuffix ? value.length - 1 : Math.min(last, value.length - 1);
        if (from > to) {
            return Problem.of(416, "The value has " + value.length + " bytes.")
                    .header("Content-Range: bytes */" + value.length)
                    .response();
        }
        boolean isAll = from == 0 && to == value.length - 1;
        return new HttpResponse(
                206,
                List.of(
                        OutcomeAnswers.REVALIDATED.getFirst(),
                        "Content-Range: bytes " + from + "-" + to + "/" + value.length),
                whole.more(),
                isAll ? value : Arrays.copyOfRange(value, (int) from, (int) to + 1));
    }
}
