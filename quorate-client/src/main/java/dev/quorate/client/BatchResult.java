package dev.quorate.client;

import java.util.Optional;

/** The outcome of one operation of a batch. */
public sealed interface BatchResult {

    /** A get was answered; empty if the key has no value. */
    record Read(Optional<Entry> entry) implements BatchResult {}

    /** A put or delete took effect. */
    record Written(Version version) implements BatchResult {}

    /** The condition of a put or delete did not hold; see {@link WriteResult.Unmet}. */
    record Unmet(Optional<Version> current) implements BatchResult {}

    /** The operation failed. The type of the exception tells the outcome of a write. */
    record Failed(QuorateException why) implements BatchResult {}
}
