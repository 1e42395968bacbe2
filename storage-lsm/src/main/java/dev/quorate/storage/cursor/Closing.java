package dev.quorate.storage.cursor;

import dev.quorate.storage.EntryCursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes many, whatever some of them throw. */
final class Closing {

    private Closing() {}

    /** Closes each; throws the first failure at the end, with the others suppressed in it. */
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
