package dev.quorate.testkit.conditional;

/** A mistake made on purpose, which has to be noticed. */
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
    /** A coordinator lets others decide though it has not accepted the value itself. */
    DECIDES_ALONE,
    /** A retry is judged as if it were sent for the first time. */
    RETRIES_AS_FIRST_ATTEMPTS,
    /** Replicas do not tell who succeeded a superseded version. */
    FORGETS_WHO_SUCCEEDED,
    /** A replica that lost its disk copies entries, and no records. */
    REBUILDS_WITHOUT_RECORDS,
    /** A replica that lost its disk votes before it has the others' GC watermark. */
    REBUILDS_WITHOUT_A_WATERMARK,
    /** What succeeds nothing has no root: it comes before a tombstone that was dropped. */
    SUCCEEDS_NOTHING_WITHOUT_A_ROOT,
    /** Nothing, and a tombstone that may be dropped, have a decree each. */
    TELLS_A_TOMBSTONE_FROM_NOTHING,
    /** A replica raises its watermark and does not note what has been superseded. */
    FORGETS_WHAT_WAS_SUPERSEDED,
    /** One acceptor shows that a base under any of its names was succeeded. */
    COUNTS_ONE_ACCEPTOR,
    /** What is accepted under one name of a base leaves what was accepted under another. */
    KEEPS_WHAT_WAS_REPLACED,
    /** A replica accepts a value from before the oldest write that it takes. */
    ACCEPTS_OLD_VALUES,
    /** A retry is judged without the records that have been dropped. */
    RETRIES_AFTER_RECORDS_WERE_DROPPED,
    /** A plain write from below the GC watermark is taken. */
    TAKES_LATE_WRITES,
    /** A lead lasts longer than an exchange. */
    LEADS_FOR_EVER,
    /** Whoever finishes the write of another does not ask whether that was denied. */
    FINISHES_WHAT_WAS_DENIED,

    // ---- Changes of the owners.

    /** While keys move, a majority of the owners after the change is enough. */
    ASKS_THE_NEW_OWNERS_ALONE,
    /** While keys move, the last acceptor of a majority of one group stores the value. */
    DECIDES_WHILE_KEYS_MOVE,
    /** A write was not done if a majority of the owners after the change cannot have it. */
    COUNTS_THE_NEW_OWNERS,
    /** A copied record is a vote. */
    COUNTS_COPIES,
    /** Those who gain the key copy entries, and no records. */
    GAINS_WITHOUT_RECORDS,
    /** A replica is copied from before it has stored what it took in earlier epochs. */
    COPIES_WHAT_IS_BEHIND,
    /** A replica answers in an epoch that is not the question's. */
    ANSWERS_IN_ANOTHER_EPOCH;

    /** Whether it shows in less than one of some thousand lives. */
    boolean isRare() {
        return switch (this) {
            case REBUILDS_WITHOUT_A_WATERMARK,
                    TELLS_A_TOMBSTONE_FROM_NOTHING,
                    COUNTS_ONE_ACCEPTOR,
                    FORGETS_WHAT_WAS_SUPERSEDED,
                    KEEPS_WHAT_WAS_REPLACED,
                    TAKES_LATE_WRITES,
                    LEADS_FOR_EVER,
                    FINISHES_WHAT_WAS_DENIED,
                    COUNTS_THE_NEW_OWNERS,
                    COUNTS_COPIES ->
                    true;
            default -> false;
        };
    }

    /** Whether it shows only where tombstones are dropped. */
    boolean isOfCollection() {
        return compareTo(REBUILDS_WITHOUT_RECORDS) > 0 && !isOfChanges();
    }

    /** Whether it shows only where the owners change. */
    boolean isOfChanges() {
        return compareTo(FINISHES_WHAT_WAS_DENIED) > 0;
    }
}
