package dev.quorate.node.events;

import java.util.Locale;

/** The kinds of events. Their names are part of the API: never rename one. */
public enum EventKind {
    NODE_STARTED(Severity.INFO),
    NODE_STOPPING(Severity.INFO),
    /** A write through this node would be taken. */
    SERVING(Severity.INFO),
    /** No write through this node would be taken. */
    NOT_SERVING(Severity.WARNING),
    PEER_UP(Severity.INFO),
    PEER_DOWN(Severity.WARNING),
    /** Two members refuse each other: another topology, secret or clock. */
    PEER_REFUSED(Severity.ERROR),
    /** A peer has received the writes that it missed. */
    HINTS_SENT(Severity.INFO),
    /** Writes that a peer missed are left to repair. */
    HINTS_DROPPED(Severity.WARNING),
    /** A repair found keys that differed. */
    REPAIR_DIFFERENCES(Severity.INFO),
    REPAIR_FAILED(Severity.WARNING),
    REBUILD_BEGUN(Severity.WARNING),
    REBUILD_ENDED(Severity.INFO),
    DISK_FULL(Severity.ERROR),
    DISK_FREE(Severity.INFO),
    CLOCK_OFF(Severity.WARNING),
    CLOCK_RIGHT(Severity.INFO),
    DAMAGE_FOUND(Severity.ERROR),
    DAMAGE_HEALED(Severity.INFO),
    /** A healing waits for somebody to accept a loss. */
    LOSS_WAITS(Severity.ERROR),
    WRITES_STALLED(Severity.WARNING),
    /** Requests were refused because of overload. */
    OVERLOADED(Severity.WARNING),
    /** Too few replicas answered. */
    QUORUM_FAILED(Severity.WARNING);

    private final Severity severity;

    EventKind(Severity severity) {
        this.severity = severity;
    }

    public Severity severity() {
        return severity;
    }

    /** Its name in the API, such as {@code peer-down}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
