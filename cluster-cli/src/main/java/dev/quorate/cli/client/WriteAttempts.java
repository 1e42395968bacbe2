package dev.quorate.cli.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides where a write is sent next, and under which version: no lock, no clock, no I/O.
 *
 * <p>Each node is asked once. A write whose outcome is not known may still be stored, so what
 * follows it has to be the same write: it carries the same version, with which a replica stores it
 * once, and supersedes nothing newer. Without a version, a write goes on only after a failure that
 * has stored nothing, or after an answer that names its version.
 */
final class WriteAttempts {

    /** What to do. */
    sealed interface Step {

        /**
         * The write is sent to a node.
         *
         * @param version null for one that the node gives it
         */
        record Send(Node node, @Nullable String version) implements Step {}

        /** It is stored. */
        record Stored(@Nullable String version) implements Step {}

        /** A node refused it, and nothing that was sent before can have been stored. */
        record Refused(String problem) implements Step {}

        /** No node was able to store it, and nothing was stored. */
        record Unavailable(String problems) implements Step {}

        /**
         * It may be stored, or may be later.
         *
         * @param version with which it can be sent again; null if it is not known
         */
        record Unknown(String problems, @Nullable String version) implements Step {}
    }

    private static final int UNAVAILABLE = 503;
    private static final int INDETERMINATE = 504;

    private final List<Node> left;
    private final List<String> problems = new ArrayList<>();
    private @Nullable String version;

    /** Whether a node may have stored it, or may do so later. */
    private boolean maybeStored;

    /**
     * Of nothing yet.
     *
     * @param nodes in the order in which they are asked
     * @param version null for one that the first node gives
     */
    WriteAttempts(List<Node> nodes, @Nullable String version) {
        this.left = new ArrayList<>(nodes);
        this.version = version;
    }

    /** Begins. */
    Step begin() {
        return next();
    }

    /** The node took no connection: it has seen nothing. */
    Step notReached(Node node, String why) {
        problems.add(node.url() + " cannot be reached: " + why + ".");
        return next();
    }

    /** The node did not answer what was sent to it. */
    Step notAnswered(Node node, String why) {
        problems.add(node.url() + " did not answer: " + why + ".");
        maybeStored = true;
        return next();
    }

    /**
     * The node answered.
     *
     * @param answered the version in the answer
     */
    Step answered(Node node, int status, @Nullable String answered, String problem) {
        if (status >= 200 && status < 300) {
            return new Step.Stored(answered == null ? version : answered);
        }
        problems.add(node.url() + " answers " + problem);
        if (status == UNAVAILABLE) {
            return next();
        }
        if (status == INDETERMINATE) {
            maybeStored = true;
            if (version == null) {
                version = answered;
            }
            return next();
        }
        if (status >= 500) {
            maybeStored = true;
            return next();
        }
        // The next node would refuse it too.
        return maybeStored ? unknown() : new Step.Refused(joined());
    }

    private Step next() {
        boolean canGoOn = !maybeStored || version != null;
        if (!left.isEmpty() && canGoOn) {
            return new Step.Send(left.removeFirst(), version);
        }
        return maybeStored ? unknown() : new Step.Unavailable(joined());
    }

    private Step unknown() {
        return new Step.Unknown(joined(), version);
    }

    private String joined() {
        return String.join(System.lineSeparator(), problems);
    }
}
