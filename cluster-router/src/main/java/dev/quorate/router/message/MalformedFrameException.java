package dev.quorate.router.message;

/** Bytes that are not a frame of this cluster and this protocol. */
public final class MalformedFrameException extends Exception {

    public enum Kind {
        /** The layout is broken: cut off, too long, or a field that no encoder writes. */
        MALFORMED,
        /** An unsupported protocol version. */
        VERSION,
        /** Not sealed with the cluster's secret, or not an answer to this request. */
        SEAL
    }

    private final Kind kind;

    MalformedFrameException(Kind kind, String what) {
        // Without a stack trace: peers may send many, and the position in the decoder is of no use.
        super(what, null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
