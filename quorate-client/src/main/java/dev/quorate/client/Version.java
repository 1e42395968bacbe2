package dev.quorate.client;

import java.util.regex.Pattern;

/**
 * The opaque version of a value or of a deletion. The larger of two versions of one key is the
 * newer one, so a version can serve as a fencing token.
 *
 * @param text as in {@code X-Quorate-Version}: 25 or 42 ASCII characters with the same order as
 *     versions
 */
public record Version(String text) implements Comparable<Version> {

    private static final Pattern FORM = Pattern.compile("[0-9a-f]{16}-[0-9a-f]{8}(-[0-9a-f]{16})?");

    /**
     * @throws IllegalArgumentException if the text is not a version
     */
    public Version {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "This is not a version: '" + Json.shown(text) + "'.");
        }
    }

    @Override
    public int compareTo(Version other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
