package dev.quorate.storage;

import java.util.Arrays;

/** The order in which a cursor returns keys, by their bytes (unsigned). */
public enum KeyOrder {
    /** The smallest key first. */
    ASCENDING {
        @Override
        public int compare(byte[] one, byte[] other) {
            return Arrays.compareUnsigned(one, other);
        }
    },

    /** The largest key first. */
    DESCENDING {
        @Override
        public int compare(byte[] one, byte[] other) {
            return Arrays.compareUnsigned(other, one);
        }
    };

    /** Negative if {@code one} precedes {@code other}. */
    public abstract int compare(byte[] one, byte[] other);
}
