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
     * The start options of async-profiler, best first: of processor time a timer for each thread,
     * which needs no privileges, and one of the process where there is no such.
     */
    List<String> events() {
        return switch (this) {
            case CPU -> List.of("event=ctimer,interval=1ms", "event=itimer,interval=1ms");
            case ALLOC -> List.of("event=alloc");
            case LOCK -> List.of("event=lock");
        };
    }

    /** The option of async-profiler to sum bytes or time instead of samples. */
    String unit() {
        return this == CPU ? "" : ",total";
    }
}
