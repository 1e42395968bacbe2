package dev.quorate.loadtest.late;

/**
 * What can make requests late. Where several happened at the time, the first of these is the cause.
 */
public enum Cause {
    /** A node stood still while its collector worked, the wait for its threads included. */
    COLLECTOR("collector pause"),
    /** A node stood still for another reason. */
    SAFEPOINT("other safepoint"),
    /** A node wrote a sorted table. */
    TABLE("flush or compaction"),
    FSYNC("slow fsync"),
    /** The compiler of a node had work for so long. */
    COMPILER("JIT compilation"),
    /** The hypervisor gave a part of the processors to others. */
    STOLEN("stolen processor time"),
    /** The load generator itself did not send in time. */
    GENERATOR("load generator late"),
    UNKNOWN("unknown");

    private final String label;

    Cause(String label) {
        this.label = label;
    }

    /** In words. */
    String label() {
        return label;
    }
}
