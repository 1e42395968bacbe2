package dev.quorate.router.runtime;

import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The contents of a file, reloaded when the file changes. A file that cannot be used leaves the
 * value unchanged, and is tried again; each new reason is logged once.
 *
 * @param <T> the type of the contents
 */
public final class Followed<T> implements Supplier<T> {

    private static final Logger LOG = LoggerFactory.getLogger(Followed.class);

    /** A file, or several that belong together. */
    public interface Source<T> {

        /** The state of the file: unequal to the last one after a change. */
        Object stamp() throws IOException;

        /**
         * Reads the whole file.
         *
         * @throws IOException if it cannot be read or is invalid; the message is for the log
         */
        T read() throws IOException;
    }

    private final String name;
    private final Source<T> source;
    private volatile T value;

    // Used by one check at a time.
    private Object stamp;
    private @Nullable String problem;

    private Followed(String name, Source<T> source, Object stamp, T value) {
        this.name = name;
        this.source = source;
        this.stamp = stamp;
        this.value = value;
    }

    /**
     * Reads a file for the first time.
     *
     * @param name the setting, for the log
     * @throws IOException if it cannot be read or is invalid
     */
    public static <T> Followed<T> first(String name, Source<T> source) throws IOException {
        // Get the stamp first, so that a later change leads to a reload.
        Object stamp = source.stamp();
        return new Followed<>(name, source, stamp, source.read());
    }

    @Override
    public T get() {
        return value;
    }

    /**
     * Reloads the file if it has changed, or could not be used the last time. Call this from one
     * thread at a time, which may wait for the disk.
     */
    public void check() {
        try {
            Object current = source.stamp();
            if (problem == null && current.equals(stamp)) {
                return;
            }
            value = source.read();
            stamp = current;
            problem = null;
            LOG.info("{} has changed and was read again", name);
        } catch (IOException | RuntimeException e) {
            String why = String.valueOf(e instanceof RuntimeException ? e : message(e));
            if (!why.equals(problem)) {
                LOG.warn("Cannot reload {}; keeping the previous contents: {}", name, why);
            }
            problem = why;
        }
    }

    private static String message(Exception e) {
        return e.getClass().getPackageName().equals("java.nio.file")
                ? e.getClass().getSimpleName() + ": " + e.getMessage()
                : String.valueOf(e.getMessage());
    }
}
