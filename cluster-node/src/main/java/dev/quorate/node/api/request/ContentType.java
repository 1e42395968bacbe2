package dev.quorate.node.api.request;

import dev.quorate.node.http.HttpHeaders;
import dev.quorate.storage.Entry;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The media type that a client gives a value (RFC 9110, 8.3.1). Stored, not interpreted. */
public final class ContentType {

    private static final String HEADER = "content-type";

    /** The type of values stored without one. */
    public static final String DEFAULT = "application/octet-stream";

    /**
     * Types that are not stored: the default, and the one that curl and others send with any bytes.
     */
    private static final List<String> NONE = List.of(DEFAULT, "application/x-www-form-urlencoded");

    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";
    private static final String QUOTED = "\"(?:[ !#-\\[\\]-~]|\\\\[ -~])*+\"";

    /** Possessive throughout, so that no input causes backtracking. */
    private static final Pattern SYNTAX =
            // T is a token, Q a quoted string.
            Pattern.compile(
                    "T/T(?: *+;(?: *+T=(?:T|Q))?+)*+".replace("T", TOKEN).replace("Q", QUOTED));

    private ContentType() {}

    /** The type to store with the body of a request; null for none. */
    public static @Nullable String of(HttpHeaders headers) throws RequestRefusedException {
        String text = headers.first(HEADER);
        if (text == null) {
            return null;
        }
        if (headers.isRepeated(HEADER)) {
            throw new RequestRefusedException(400, "There is more than one Content-Type.");
        }
        return checked("Content-Type", text);
    }

    /**
     * The type to store; null for none.
     *
     * @param name the name of the header or member
     */
    public static @Nullable String checked(String name, @Nullable String text)
            throws RequestRefusedException {
        if (text == null || NONE.contains(text.toLowerCase(Locale.ROOT))) {
            return null;
        }
        if (!Entry.isContentType(text) || !SYNTAX.matcher(text).matches()) {
            throw new RequestRefusedException(
                    400,
                    "'%s' must be a media type, such as text/plain;charset=utf-8, of at most %d characters."
                            .formatted(name, Entry.MAX_CONTENT_TYPE_BYTES));
        }
        return text;
    }
}
