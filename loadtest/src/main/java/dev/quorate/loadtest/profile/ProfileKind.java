package dev.quorate.loadtest.profile;

import java.util.List;

/** What a profile shows. */
public enum ProfileKind {
    /** Where processor time goes. */
    CPU,
    /** Where memory is allocated, in bytes. */
    ALLOC,
    /** Where threads wait for locks, in nanoseconds. */
    LOCK;

    /**
     * What async-profiler is to be told to begin, best first: of processor time a timer for each
     * thread, which needs no privileges, and one of the process where there is no such.
     */
    List<String> events() {
        return switch (this) {
            case CPU -> List.of("event=ctimer,interval=1ms", "event=itimer,interval=1ms");
            case ALLOC -> List.of("event=alloc");
            case LOCK -> List.of("event=lock");
        };
    }

    /** What async-profiler is to be told to add up bytes or time, and not samples. */
    String unit() {
        return this == CPU ? "" : ",total";
    }
}
