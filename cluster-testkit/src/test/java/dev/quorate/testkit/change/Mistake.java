package dev.quorate.testkit.change;

/** Changes of the design that a model must notice. */
enum Mistake {
    NONE,

    // ---- Quorums in a joint epoch.

    /** The new owners count alone. */
    NEW_OWNERS_ALONE,
    /** Reads, and their repairs, ask the old owners alone. */
    READS_OF_OLD_OWNERS,
    /** One answer more than needed, of any owners. */
    LARGER_COUNT,
    /** Two answers suffice. */
    TWO_SUFFICE,

    // ---- Epochs of messages.

    /** A replica takes requests of older epochs. */
    OLDER_EPOCHS_TAKEN,
    /** A request has the epoch in which it is delivered, not the one in which it was planned. */
    STAMPED_WHEN_SENT,
    /** A restarted member has forgotten its epoch. */
    EPOCH_IN_MEMORY,

    // ---- Proofs.

    /** Gainers agree with the owners that stay. */
    PROOF_WITHOUT_LEAVERS,
    /** Agreements count that began before the joint epoch. */
    PROOF_BEFORE_JOINT,
    /** Gainers agree with one of several leaving owners. */
    PROOF_OF_ONE_LEAVER,
    /** The rule for equal sizes is used for all. */
    SIZES_IGNORED,

    // ---- Records of conditional writes.

    RECORDS_NOT_COPIED,
    RECORDS_OF_LEAVERS_NOT_COPIED,
    /** A copy replaces a later acceptance. */
    COPY_REPLACES_LATER,
    /** Copies count as "was not accepted". */
    COPIES_ARE_NONE,
    /** Members that did not answer count as "did not accept". */
    UNANSWERED_ARE_NONE,
    /** In the joint epoch the new owners are asked what was accepted. */
    NEW_OWNERS_ASKED
}
