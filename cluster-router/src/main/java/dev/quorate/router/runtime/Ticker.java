package dev.quorate.router.runtime;

/** The clocks of a machine. Injected, so that tests and simulations control them. */
public interface Ticker {

    /** Milliseconds since 1970, by the operating system; may jump, also backwards. */
    long wallMillis();

    /** Nanoseconds since some fixed moment; never goes back. */
    long nanos();
}
