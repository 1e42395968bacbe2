package dev.quorate.client;

import java.util.regex.Pattern;

/**
 * The version of a value or of a deletion: opaque, and ordered as the writes of its key are. Of two
 * versions of one key the larger one is the newer, so that a version serves as a fencing token.
 *
 * @param text as in {@code X-Quorate-Version}: 25 or 42 ASCII characters, in the same order as
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
                    "This is not a version: '" + Json.Text.shown(text) + "'.");
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
