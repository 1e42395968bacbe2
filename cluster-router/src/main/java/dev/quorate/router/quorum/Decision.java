package dev.quorate.router.quorum;

/** The effect of one replica's answer on an operation. */
public enum Decision {
    /** Undecided: more answers are needed. */
    PENDING,
    /** With this answer, enough replicas have succeeded. Reported once. */
    REACHED,
    /** With this answer, too many replicas have failed. Reported once. */
    UNREACHABLE,
    /** The operation was decided by an earlier answer. */
    SETTLED
}
