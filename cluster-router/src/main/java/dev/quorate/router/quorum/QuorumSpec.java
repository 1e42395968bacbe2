package dev.quorate.router.quorum;

/**
 * How many replicas have to agree, out of how many that are asked: {@code replicas=ack/from}.
 *
 * @param ack answers needed, 1 to {@code from}
 * @param from replicas asked, {@code ack} to {@link #MAX_FROM}
 */
public record QuorumSpec(int ack, int from) {

    /** The most replicas one operation can ask: they are kept as a bit mask. */
    public static final int MAX_FROM = 64;

    /** What a client asked for makes no sense. The message is one sentence, fit to be shown. */
    public static final class InvalidException extends IllegalArgumentException {

        InvalidException(String message) {
            super(message);
        }
    }

    /**
     * @throws InvalidException unless 1 ≤ ack ≤ from ≤ {@link #MAX_FROM}
     */
    public QuorumSpec {
        if (from < 1 || from > MAX_FROM) {
            throw new InvalidException(
                    "'from' has to be 1 to " + MAX_FROM + ", and it is " + from + ".");
        }
        if (ack < 1 || ack > from) {
            throw new InvalidException(
                    "'ack' has to be 1 to " + from + " (which is 'from'), and it is " + ack + ".");
        }
    }

    /**
     * Reads {@code ack/from}.
     *
     * @param members how many members the cluster has: the most that {@code from} can be
     * @throws InvalidException if it is anything but two plain numbers within their limits
     */
    public static QuorumSpec parse(String text, int members) {
        int slash = text.indexOf('/');
        if (slash < 0 || text.indexOf('/', slash + 1) >= 0) {
            throw new InvalidException(
                    "'replicas' has to be ack/from, such as 2/3, and it is " + quoted(text) + ".");
        }
        return parse(text.substring(0, slash), text.substring(slash + 1), members);
    }

    /**
     * Reads the two numbers apart.
     *
     * @param members how many members the cluster has: the most that {@code from} can be
     * @throws InvalidException if one is anything but a plain number within its limits
     */
    public static QuorumSpec parse(String ack, String from, int members) {
        int fromNumber = parseNumber("from", from);
        int ackNumber = parseNumber("ack", ack);
        if (fromNumber < 1 || fromNumber > members) {
            throw new InvalidException(
                    "'from' has to be 1 to "
                            + members
                            + " (the number of nodes), and it is "
                            + quoted(from)
                            + ".");
        }
        if (ackNumber < 1 || ackNumber > fromNumber) {
            throw new InvalidException(
                    "'ack' has to be 1 to "
                            + fromNumber
                            + " (which is 'from'), and it is "
                            + quoted(ack)
                            + ".");
        }
        return new QuorumSpec(ackNumber, fromNumber);
    }

    /**
     * Plain ASCII digits only: {@code Integer.parseInt} would take signs and the digits of other
     * scripts. A number too large for an {@code int} comes back as the largest one, which no limit
     * allows.
     */
    private static int parseNumber(String name, String text) {
        if (text.isEmpty()) {
            throw new InvalidException("'" + name + "' is missing: ack/from is needed, as in 2/3.");
        }
        int number = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                throw new InvalidException(
                        "'" + name + "' has to be plain digits, and it is " + quoted(text) + ".");
            }
            int digit = c - '0';
            number =
                    number > (Integer.MAX_VALUE - digit) / 10
                            ? Integer.MAX_VALUE
                            : number * 10 + digit;
        }
        return number;
    }

    /** What a client sent, made fit for a message: short, and nothing but printable ASCII. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("'");
        for (int i = 0; i < Math.min(text.length(), 32); i++) {
            char c = text.charAt(i);
            quoted.append(c >= ' ' && c <= '~' ? c : '?');
        }
        return quoted.append(text.length() > 32 ? "…'" : "'").toString();
    }

    /**
     * More than half of {@code from}.
     *
     * @throws InvalidException unless 1 ≤ from ≤ {@link #MAX_FROM}
     */
    public static QuorumSpec majority(int from) {
        return new QuorumSpec(from / 2 + 1, from);
    }

    /** Whether it is more than half, so that any two such quorums share a replica. */
    public boolean isMajority() {
        return ack > from / 2;
    }

    /**
     * Whether every set of replicas that satisfies this one shares a member with every set that
     * satisfies the other, so that a read with one sees what a write with the other acknowledged.
     *
     * <p>Only for the same {@code from}: where it differs, the replicas that were asked differ, and
     * a copy outside the smaller set may be older.
     */
    public boolean overlaps(QuorumSpec other) {
        return from == other.from && ack + other.ack > from;
    }

    /** {@code ack/from}. */
    @Override
    public String toString() {
        return ack + "/" + from;
    }
}
