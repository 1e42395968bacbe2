package dev.quorate.storage.cursor;

import dev.quorate.storage.EntryCursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes cursors, each regardless of failures of the others. */
final class Closing {

    private Closing() {}

    /** Closes each cursor; then throws the first failure, with the others suppressed. */
    static void closeAll(List<EntryCursor> cursors) {
        @Nullable RuntimeException failure = null;
        for (EntryCursor cursor : cursors) {
            try {
                cursor.close();
            } catch (RuntimeException cause) {
                if (failure == null) {
                    failure = cause;
                } else {
                    failure.addSuppressed(cause);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
