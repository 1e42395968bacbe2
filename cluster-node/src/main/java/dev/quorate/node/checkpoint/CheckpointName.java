package dev.quorate.node.checkpoint;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The name of a checkpoint, and of its directory: 1 to 64 of a-z, 0-9 and the hyphen. */
public record CheckpointName(String text) {

    private static final Pattern VALID = Pattern.compile("[a-z0-9-]{1,64}");

    public CheckpointName {
        if (!VALID.matcher(text).matches()) {
            throw new IllegalArgumentException("not the name of a checkpoint");
        }
    }

    public static @Nullable CheckpointName of(@Nullable String text) {
        return text != null && VALID.matcher(text).matches() ? new CheckpointName(text) : null;
    }

    @Override
    public String toString() {
        return text;
    }
}
