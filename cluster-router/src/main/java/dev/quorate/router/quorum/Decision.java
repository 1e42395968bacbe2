package dev.quorate.router.quorum;

/** What an answer of one replica has decided. */
public enum Decision {
    /** Nothing yet: enough replicas are still to answer. */
    PENDING,
    /** This answer was the one that made enough succeed. Reported once. */
    REACHED,
    /** This answer was the one after which enough can no longer succeed. Reported once. */
    UNREACHABLE,
    /** It was decided before this answer. */
    SETTLED
}
