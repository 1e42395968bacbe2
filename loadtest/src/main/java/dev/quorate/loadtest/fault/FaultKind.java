package dev.quorate.loadtest.fault;

import dev.quorate.harness.Relay;
import java.util.Locale;

/** What happens to one of three nodes. */
public enum FaultKind {
    /** Its process stands still (SIGSTOP): connections stay, and nobody answers. */
    PAUSED,
    /** Its process is gone (SIGKILL), and is started again. */
    KILLED,
    /** What others send to it comes a second later, by a {@link Relay}. */
    DELAYED;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
