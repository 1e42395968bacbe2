package dev.quorate.testkit.conditional;

/** A mistake made on purpose, which the checker has to notice. */
enum Mistake {
    NONE,
    /** A crash forgets what was promised and not accepted. */
    PROMISES_IN_MEMORY,
    /** A replica gives others what it has accepted as if it were decided. */
    COPIES_UNDECIDED_VALUES,
    /** A read returns what one replica has accepted. */
    SHOWS_UNDECIDED_VALUES,
    /** A read returns the entry, whatever was accepted to succeed it. */
    HIDES_DECIDED_VALUES,
    /** A coordinator proposes its own value, whatever was accepted before. */
    IGNORES_WHAT_WAS_ACCEPTED,
    /** A replica accepts what is to succeed a version that its entry has superseded. */
    ACCEPTS_OVER_A_NEWER_ENTRY,
    /** A retry is judged as if it were sent for the first time. */
    RETRIES_AS_FIRST_ATTEMPTS,
    /** Replicas do not tell who succeeded a superseded version. */
    FORGETS_WHO_SUCCEEDED,
    /** A replica that lost its disk copies entries, and no records. */
    REBUILDS_WITHOUT_RECORDS
}
