package dev.quorate.client;

import java.util.Optional;

/** The outcome of a conditional write that is decided. */
public sealed interface WriteResult {

    /** The write took effect, and is on the disks of {@code ack} replicas. */
    record Written(Version version) implements WriteResult {}

    /**
     * The condition did not hold. The write does not take effect, now or later.
     *
     * @param current the current version; empty if the key has no value, or if an earlier attempt
     *     was refused and the version at that time is unknown
     */
    record Unmet(Optional<Version> current) implements WriteResult {}
}
