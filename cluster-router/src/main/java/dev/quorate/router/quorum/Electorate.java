package dev.quorate.router.quorum;

/**
 * The replicas of an operation, and the quorum that it needs: in one group of owners or, while keys
 * move, in each of two groups, the owners before and after the change.
 *
 * <p>A replica is an index, 0 to {@link #size} − 1, in the union of the groups. A set of replicas
 * is a bit mask. Immutable.
 */
public final class Electorate {

    private static final int CACHED_FROM = 8;

    private static final Electorate[] CACHED = new Electorate[CACHED_FROM * (CACHED_FROM + 1) / 2];

    static {
        for (int from = 1; from <= CACHED_FROM; from++) {
            for (int ack = 1; ack <= from; ack++) {
                CACHED[cacheIndex(ack, from)] = single(new QuorumSpec(ack, from));
            }
        }
    }

    private final QuorumSpec before;
    private final long beforeMask;
    private final QuorumSpec after;
    private final long afterMask;
    private final boolean isJoint;
    private final int size;

    private Electorate(QuorumSpec before, long beforeMask, QuorumSpec after, long afterMask) {
        this.before = before;
        this.beforeMask = beforeMask;
        this.after = after;
        this.afterMask = afterMask;
        this.isJoint = beforeMask != afterMask || !before.equals(after);
        this.size = Long.bitCount(beforeMask | afterMask);
    }

    /** One group of {@code from} replicas. The usual ones are cached. */
    public static Electorate of(QuorumSpec spec) {
        return spec.from() <= CACHED_FROM
                ? CACHED[cacheIndex(spec.ack(), spec.from())]
                : single(spec);
    }

    /** A majority of one group of {@code from} replicas. */
    public static Electorate majority(int from) {
        return from <= CACHED_FROM
                ? CACHED[cacheIndex(from / 2 + 1, from)]
                : single(QuorumSpec.majority(from));
    }

    private static int cacheIndex(int ack, int from) {
        return from * (from - 1) / 2 + ack - 1;
    }

    private static Electorate single(QuorumSpec spec) {
        long all = -1L >>> (Long.SIZE - spec.from());
        return new Electorate(spec, all, spec, all);
    }

    /**
     * Two groups, or one if they are the same.
     *
     * @param beforeMask the owners before the change, {@code before.from()} of them
     * @param afterMask the owners after the change, {@code after.from()} of them
     * @throws IllegalArgumentException if a group has another size, or the indexes have a gap
     */
    public static Electorate joint(
            QuorumSpec before, long beforeMask, QuorumSpec after, long afterMask) {
        long all = beforeMask | afterMask;
        if (Long.bitCount(beforeMask) != before.from()
                || Long.bitCount(afterMask) != after.from()
                || (all & (all + 1)) != 0) {
            throw new IllegalArgumentException(
                    "%s of %s and %s of %s"
                            .formatted(
                                    before,
                                    Long.toBinaryString(beforeMask),
                                    after,
                                    Long.toBinaryString(afterMask)));
        }
        Electorate joint = new Electorate(before, beforeMask, after, afterMask);
        return joint.isJoint ? joint : of(before);
    }

    /** The same groups, and a majority of each. */
    public Electorate majority() {
        return isJoint
                ? new Electorate(
                        QuorumSpec.majority(before.from()),
                        beforeMask,
                        QuorumSpec.majority(after.from()),
                        afterMask)
                : majority(before.from());
    }

    public int size() {
        return size;
    }

    public boolean isJoint() {
        return isJoint;
    }

    /** The quorum that the client asked for. */
    public QuorumSpec spec() {
        return before;
    }

    /** Whether the quorum of each group is more than half, so that any two intersect there. */
    public boolean isMajority() {
        return before.isMajority() && after.isMajority();
    }

    /** How many replicas suffice, whichever they are; {@link Integer#MAX_VALUE} if joint. */
    public int sufficient() {
        return isJoint ? Integer.MAX_VALUE : before.ack();
    }

    /** Whether these replicas contain a quorum of each group. */
    public boolean isQuorum(long replicas) {
        return isQuorum(replicas, 0);
    }

    /** Whether these replicas contain a quorum of each group and {@code more} replicas of it. */
    public boolean isQuorum(long replicas, int more) {
        return isQuorumBefore(replicas, more)
                && (!isJoint || Long.bitCount(replicas & afterMask) >= after.ack() + more);
    }

    /**
     * Whether these replicas contain a quorum of the only group or, if joint, of the owners before
     * the change: without it, nothing was decided before the change or since.
     */
    public boolean isQuorumBefore(long replicas) {
        return isQuorumBefore(replicas, 0);
    }

    private boolean isQuorumBefore(long replicas, int more) {
        return Long.bitCount(replicas & beforeMask) >= before.ack() + more;
    }

    /** Whether no quorum of some group is left if these replicas fail. */
    public boolean isImpossible(long failed) {
        return !isQuorum(~failed);
    }

    /** The number of these replicas, in each group. */
    public String counted(long replicas) {
        String format = isJoint ? "%s of the %s old owners" : "%s of %s replicas";
        String counted = format.formatted(Long.bitCount(replicas & beforeMask), before.from());
        return isJoint
                ? "%s and %s of the %s new owners"
                        .formatted(counted, Long.bitCount(replicas & afterMask), after.from())
                : counted;
    }

    /** The number of replicas that a quorum needs, in each group. */
    public String needed() {
        return !isJoint
                ? String.valueOf(before.ack())
                : before.ack() == after.ack()
                        ? before.ack() + " of each"
                        : before.ack() + " and " + after.ack();
    }

    /** {@code ack/from}, of each group. */
    @Override
    public String toString() {
        return isJoint ? before + " and " + after : before.toString();
    }
}
