package dev.quorate.node.transport;

/**
 * Tells numbers that have been seen from new ones, where they come nearly in order: it remembers
 * the largest and which of the 63 before it have come. The scheme of IPsec (RFC 4303, 3.4.3).
 */
final class ReplayWindow {

    private static final int SIZE = Long.SIZE;

    private boolean begun;
    private long largest;

    /** Bit i: {@code largest - i} has been seen. */
    private long seen;

    /** Whether the number is new, and may be. From now on it is not. */
    synchronized boolean accept(long number) {
        if (!begun) {
            begun = true;
            largest = number;
            seen = 1;
            return true;
        }
        if (Long.compareUnsigned(number, largest) > 0) {
            long ahead = number - largest;
            seen = Long.compareUnsigned(ahead, SIZE) >= 0 ? 1 : seen << ahead | 1;
            largest = number;
            return true;
        }
        long behind = largest - number;
        if (Long.compareUnsigned(behind, SIZE) >= 0 || (seen & 1L << behind) != 0) {
            return false;
        }
        seen |= 1L << behind;
        return true;
    }
}
