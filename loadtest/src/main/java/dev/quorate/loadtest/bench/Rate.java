package dev.quorate.loadtest.bench;

/** How many requests are sent in a second. */
public enum Rate {
    /** As many as the answers allow, which measures the capacity of the cluster. */
    HIGHEST(""),

    /** The same few for all, which measures latency at a low load. */
    TEN_THOUSAND("10,000/s"),

    /** Half of what the same case reached at {@link #HIGHEST}. */
    HALF("half rate");

    /** Of {@link #TEN_THOUSAND}. */
    private static final int FIXED_PER_SECOND = 10_000;

    private final String label;

    Rate(String label) {
        this.label = label;
    }

    /** In words; empty for {@link #HIGHEST}. */
    String label() {
        return label;
    }

    /**
     * Requests a second; 0 if there is no limit.
     *
     * @param highest what was reached without a limit
     */
    int perSecond(double highest) {
        return switch (this) {
            case HIGHEST -> 0;
            case TEN_THOUSAND -> FIXED_PER_SECOND;
            case HALF -> (int) Math.max(1, highest / 2);
        };
    }
}
