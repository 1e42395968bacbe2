package dev.quorate.node.http;

import java.time.Duration;

/**
 * How many connections a listener has open. Immutable.
 *
 * @param total open at once; more are closed after a 503. Each costs a file descriptor.
 * @param perAddress open at once from one address (IPv6: one network of 64 bits); more are closed
 *     after a 503
 * @param strangers open at once of clients that have not proved who they are; when there are more,
 *     the one that has had the most time is closed. 0 if nobody has to prove anything.
 * @param provingTime how long a connection may stay a stranger's
 */
public record ConnectionLimits(int total, int perAddress, int strangers, Duration provingTime) {

    public ConnectionLimits {
        if (total < 1 || perAddress < 1 || strangers < 0) {
            throw new IllegalArgumentException(
                    "connections: total and perAddress must be at least 1, strangers not negative");
        }
    }

    /** For a listener that serves anybody. */
    public static ConnectionLimits ofAnybody(int total, int perAddress) {
        return new ConnectionLimits(total, perAddress, 0, Duration.ZERO);
    }

    /** For a listener that serves those who prove who they are. */
    public static ConnectionLimits ofProven(int total, int strangers, Duration provingTime) {
        return new ConnectionLimits(total, total, strangers, provingTime);
    }
}
