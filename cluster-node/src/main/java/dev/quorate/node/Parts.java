package dev.quorate.node;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of an object, which are closed in reverse order of their creation. */
final class Parts implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Parts.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T made) {
        parts.push(made);
        return made;
    }

    /** Closes all parts, even if one fails. */
    @Override
    public void close() {
        @Nullable AutoCloseable part;
        while ((part = parts.poll()) != null) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.error("{} did not close", part.getClass().getSimpleName(), e);
            }
        }
    }
}
