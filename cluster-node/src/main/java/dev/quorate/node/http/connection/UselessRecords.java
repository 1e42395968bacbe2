package dev.quorate.node.http.connection;

import javax.net.ssl.SSLException;

/**
 * Counts the records of a connection without application data: alerts, key updates, fragments of a
 * handshake, and empty records. They cost the node more than the client. An honest client sends
 * about ten for a handshake, and hardly any afterwards.
 */
final class UselessRecords {

    static final int MAX_PER_MINUTE = 100;

    private static final long MINUTE_NANOS = 60_000_000_000L;

    static final class UselessRecordsException extends SSLException {

        UselessRecordsException(String message) {
            super(message);
        }
    }

    /** Records since {@link #minuteFromNanos}. */
    private int records;

    private long minuteFromNanos;

    UselessRecords(long nowNanos) {
        minuteFromNanos = nowNanos;
    }

    void count(boolean isWarning, boolean isEstablished, long nowNanos) throws SSLException {
        if (isWarning && !isEstablished) {
            throw new UselessRecordsException("an alert before the end of the handshake");
        }
        if (nowNanos - minuteFromNanos >= MINUTE_NANOS) {
            minuteFromNanos = nowNanos;
            records = 0;
        }
        if (++records > MAX_PER_MINUTE) {
            throw new UselessRecordsException(
                    "more than %d records without data in a minute".formatted(MAX_PER_MINUTE));
        }
    }
}
