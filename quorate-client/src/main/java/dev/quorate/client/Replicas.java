package dev.quorate.client;

/**
 * How many replicas own a key, and how many of them must agree.
 *
 * @param ack 1 to {@code from}
 * @param from 1 to the number of nodes, at most 64
 */
public record Replicas(int ack, int from) {

    private static final int MAX_FROM = 64;

    /**
     * @throws IllegalArgumentException unless 1 ≤ ack ≤ from ≤ 64
     */
    public Replicas {
        if (from < 1 || from > MAX_FROM || ack < 1 || ack > from) {
            throw new IllegalArgumentException(
                    "It must be 1 <= ack <= from <= 64, and is " + ack + "/" + from + ".");
        }
    }

    /** {@code ack/from}. */
    @Override
    public String toString() {
        return ack + "/" + from;
    }
}
