package dev.quorate.node.offenders;

import dev.quorate.storage.simulated.FaultyDisk;

/** Breaks a rule on purpose. */
public final class UsesASimulatedDisk {

    FaultyDisk disk() {
        return new FaultyDisk();
    }
}
