package dev.quorate.node.http.budget;

import java.time.Duration;

/**
 * Limits of a listener's connections. Immutable.
 *
 * @param total maximum of open connections; more are closed after a 503. Each costs a descriptor.
 * @param perAddress the same from one address (IPv6: one network of 64 bits); more are closed after
 *     a 503
 * @param strangers the same without authentication; beyond that the oldest is closed. 0 if clients
 *     need none.
 * @param provingTime how long a connection may stay unauthenticated
 * @param areProvedByTls whether a TLS handshake is sufficient authentication
 */
public record ConnectionLimits(
        int total, int perAddress, int strangers, Duration provingTime, boolean areProvedByTls) {

    public ConnectionLimits {
        if (total < 1 || perAddress < 1 || strangers < 0) {
            throw new IllegalArgumentException(
                    "connections: total and perAddress must be at least 1, strangers not negative");
        }
    }

    /** For a listener without authentication. */
    public static ConnectionLimits withoutAuthentication(int total, int perAddress) {
        return new ConnectionLimits(total, perAddress, 0, Duration.ZERO, false);
    }

    /** For a listener that requires authentication. */
    public static ConnectionLimits ofProven(int total, int strangers, Duration provingTime) {
        return new ConnectionLimits(total, total, strangers, provingTime, false);
    }

    /** For a listener whose clients need only a TLS handshake. */
    public static ConnectionLimits ofTls(
            int total, int perAddress, int handshakes, Duration handshakeTime) {
        return new ConnectionLimits(total, perAddress, handshakes, handshakeTime, true);
    }
}
