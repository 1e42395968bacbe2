package dev.quorate.node.runtime;

/** The clocks of a machine. Injected, so that a test or a simulation can hold them. */
public interface Ticker {

    /** Milliseconds since 1970, as the operating system believes; may jump, also backwards. */
    long wallMillis();

    /** Nanoseconds since some fixed moment; never goes back. */
    long nanos();
}
