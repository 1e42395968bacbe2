package dev.quorate.node.message;

/**
 * Another member, as the one sees it that announces its state.
 *
 * @param member the other's number
 */
public record PeerView(int member, Sight sight) {

    /** What is seen. The code is part of the protocol: never renumber. */
    public enum Sight {
        /** Nothing has come from it since the announcing member started. */
        UNKNOWN(0),
        /** Its last exchange was answered. */
        UP(1),
        /** It does not answer. */
        DOWN(2),
        /** The two refuse each other. */
        REFUSED(3);

        private final int code;

        Sight(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }
    }
}
