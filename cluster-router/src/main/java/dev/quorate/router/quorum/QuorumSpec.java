package dev.quorate.router.quorum;

import java.util.Arrays;

/**
 * The replicas that an operation contacts and the acknowledgements it needs: {@code
 * replicas=ack/from}.
 *
 * @param ack acknowledgements needed, 1 to {@code from}
 * @param from replicas contacted, {@code ack} to {@link #MAX_FROM}
 * @param isDefault whether {@code from} follows the replication factor when that changes
 */
public record QuorumSpec(int ack, int from, boolean isDefault) {

    /**
     * Maximum number of owners of a key. While keys move, an operation has as many before and after
     * the change: a bit mask of 64 bits represents their union.
     */
    public static final int MAX_FROM = 32;

    private static final QuorumSpec[] MAJORITIES = new QuorumSpec[MAX_FROM];
    private static final QuorumSpec[] DEFAULTS = new QuorumSpec[MAX_FROM];

    static {
        Arrays.setAll(MAJORITIES, i -> new QuorumSpec((i + 1) / 2 + 1, i + 1));
        Arrays.setAll(DEFAULTS, i -> new QuorumSpec((i + 1) / 2 + 1, i + 1, true));
    }

    /**
     * A request specifies an invalid quorum. The message is one sentence that may be shown to
     * clients.
     */
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
                    "'from' must be 1 to " + MAX_FROM + ", but is " + from + ".");
        }
        if (ack < 1 || ack > from) {
            throw new InvalidException(
                    "'ack' must be 1 to " + from + " (which is 'from'), but is " + ack + ".");
        }
    }

    /** A fixed {@code from}. */
    public QuorumSpec(int ack, int from) {
        this(ack, from, false);
    }

    /** The same, with a {@code from} that follows the replication factor. */
    public QuorumSpec asDefault() {
        return isDefault
                ? this
                : ack == from / 2 + 1 ? DEFAULTS[from - 1] : new QuorumSpec(ack, from, true);
    }

    /**
     * The default at another replication factor. A majority stays a majority; more acknowledgements
     * keep their distance from all, and fewer keep their number. Quorums that intersect still do.
     */
    public QuorumSpec withFactor(int factor) {
        int majority = from / 2 + 1;
        if (ack <= majority && 2 * ack >= from) {
            return DEFAULTS[factor - 1];
        }
        return new QuorumSpec(
                ack > majority
                        ? Math.max(ack + factor - from, factor / 2 + 1)
                        : Math.min(ack, factor),
                factor,
                true);
    }

    /**
     * Parses {@code ack/from}.
     *
     * @param members the number of members of the cluster, which limits {@code from}
     * @throws InvalidException unless {@code text} is two plain numbers within their limits
     */
    public static QuorumSpec parse(String text, int members) {
        int slash = text.indexOf('/');
        if (slash < 0 || text.indexOf('/', slash + 1) >= 0) {
            throw new InvalidException(
                    "'replicas' must be ack/from, such as 2/3, but is " + quoted(text) + ".");
        }
        return parse(text.substring(0, slash), text.substring(slash + 1), members);
    }

    /**
     * Parses {@code ack} and {@code from}, given separately.
     *
     * @param members the number of members of the cluster, which limits {@code from}
     * @throws InvalidException unless both are plain numbers within their limits
     */
    public static QuorumSpec parse(String ack, String from, int members) {
        int fromNumber = parseNumber("from", from);
        int ackNumber = parseNumber("ack", ack);
        if (fromNumber < 1 || fromNumber > Math.min(members, MAX_FROM)) {
            throw new InvalidException(
                    "'from' must be 1 to %s, but is %s."
                            .formatted(
                                    members > MAX_FROM
                                            ? MAX_FROM
                                            : members + " (the number of nodes)",
                                    quoted(from)));
        }
        if (ackNumber < 1 || ackNumber > fromNumber) {
            throw new InvalidException(
                    "'ack' must be 1 to %s (which is 'from'), but is %s."
                            .formatted(fromNumber, quoted(ack)));
        }
        return new QuorumSpec(ackNumber, fromNumber);
    }

    /**
     * Parses plain ASCII digits only: {@code Integer.parseInt} accepts signs and other scripts'
     * digits. Saturates at {@code Integer.MAX_VALUE}, which is above every limit.
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
                        "'" + name + "' must be plain digits, but is " + quoted(text) + ".");
            }
            int digit = c - '0';
            number =
                    number > (Integer.MAX_VALUE - digit) / 10
                            ? Integer.MAX_VALUE
                            : number * 10 + digit;
        }
        return number;
    }

    /** Client input, truncated and reduced to printable ASCII for a message. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("'");
        for (int i = 0; i < Math.min(text.length(), 32); i++) {
            char c = text.charAt(i);
            quoted.append(c >= ' ' && c <= '~' ? c : '?');
        }
        return quoted.append(text.length() > 32 ? "…'" : "'").toString();
    }

    /**
     * A majority of {@code from} replicas.
     *
     * @throws InvalidException unless 1 ≤ from ≤ {@link #MAX_FROM}
     */
    public static QuorumSpec majority(int from) {
        return from < 1 || from > MAX_FROM ? new QuorumSpec(1, from) : MAJORITIES[from - 1];
    }

    /**
     * Whether {@code ack} is more than half of {@code from}, so that any two such quorums
     * intersect.
     */
    public boolean isMajority() {
        return ack > from / 2;
    }

    /** {@code ack/from}. */
    @Override
    public String toString() {
        return ack + "/" + from;
    }
}
