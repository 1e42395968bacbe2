package dev.quorate.client;

import java.util.Optional;

/** The outcome of a conditional write that is decided. */
public sealed interface WriteResult {

    /** It is made, and on the disks of {@code ack} replicas. */
    record Written(Version version) implements WriteResult {}

    /**
     * Its condition did not hold. It is not made, and never will be.
     *
     * @param current the version that is there instead; empty if nothing is, or if an earlier
     *     attempt of this write was refused and what was there then is not known
     */
    record Unmet(Optional<Version> current) implements WriteResult {}
}
