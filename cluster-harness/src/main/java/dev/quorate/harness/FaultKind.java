package dev.quorate.harness;

import java.util.Locale;

/** The faults that the harness injects into processes and their network. */
public enum FaultKind {
    /** SIGKILL ends a process. */
    KILL("killed"),
    /** SIGSTOP pauses a process: its connections stay open, and it does not answer. */
    PAUSE("paused"),
    /** A {@link RelayNetwork} cuts links between nodes. */
    PARTITION("partitioned"),
    /** Strangers connect to the ports of a node and occupy what it lets them. */
    STRANGERS("crowded"),
    /** A {@link Relay} delays what peers send to a node. */
    DELAY("delayed");

    private final String participle;

    FaultKind(String participle) {
        this.participle = participle;
    }

    /** As an action: {@code kill}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As the state of a node: {@code killed}. */
    public String participle() {
        return participle;
    }
}
