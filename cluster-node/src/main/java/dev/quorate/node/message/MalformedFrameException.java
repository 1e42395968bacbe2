package dev.quorate.node.message;

/** Bytes that are not a frame of this cluster and this protocol. */
public final class MalformedFrameException extends Exception {

    private static final long serialVersionUID = 1;

    /** In which way. */
    public enum Kind {
        /** The layout is broken: cut off, too long, or a field that no encoder writes. */
        MALFORMED,
        /** A protocol version that this release does not speak. */
        VERSION,
        /** Not sealed with the cluster's secret, or not an answer to this request. */
        SEAL
    }

    private final Kind kind;

    MalformedFrameException(Kind kind, String what) {
        // Peers may send many of them, and the place in the decoder says nothing to anyone.
        super(what, null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
