package dev.quorate.loadtest.agreement;

/**
 * One figure of a load, as one load generator and as another measured it.
 *
 * @param name of the load and the figure
 * @param reference what the one measured that the other is compared to
 */
public record Agreement(String name, GeneratorFigures reference, GeneratorFigures other) {

    /** A difference up to this part of the figure is none. */
    private static final double TOLERANCE = 0.1;

    /** How far the two are apart. */
    public enum Verdict {
        WITHIN_A_TENTH("within 10 %"),
        /** Farther, but not farther than two runs of the reference are from each other. */
        WITHIN_THE_NOISE("within the noise"),
        APART("APART");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }

        public boolean agrees() {
            return this != APART;
        }
    }

    /** The other figure less the reference, as a part of that. */
    public double difference() {
        return reference.middle() == 0 ? 0 : other.middle() / reference.middle() - 1;
    }

    public Verdict verdict() {
        double apart = Math.abs(other.middle() - reference.middle());
        if (apart <= TOLERANCE * reference.middle()) {
            return Verdict.WITHIN_A_TENTH;
        }
        return apart <= reference.most() - reference.least()
                ? Verdict.WITHIN_THE_NOISE
                : Verdict.APART;
    }
}
