package dev.quorate.node.antientropy;

/**
 * The status of the last repair with one peer, or of the running one.
 *
 * @param peer its name
 * @param phase the phase of the repair
 * @param detail why it failed or is incomplete; otherwise empty
 * @param compared entries of this node that were compared
 * @param differing keys found to differ
 * @param pushed entries that the peer took
 * @param pulled entries that were taken from the peer
 * @param refused entries that one of the two members refused
 * @param unreadable ranges that one of the two members could not read
 * @param bytes of requests and answers, both ways
 * @param nanos its duration so far
 * @param completeSince when the last complete repair with it began, in milliseconds since 1970; 0
 *     if there was none since the node started. The peer has every entry that this node had by then
 *     and that the peer owns too
 * @param ageSeconds seconds since the last complete repair with it began, or since the node started
 * @param total the totals of all repairs with it since the start
 */
public record PeerRepairStatus(
        String peer,
        Phase phase,
        String detail,
        long compared,
        long differing,
        long pushed,
        long pulled,
        long refused,
        long unreadable,
        long bytes,
        long nanos,
        long completeSince,
        double ageSeconds,
        Totals total) {

    /** The status of a peer without any repair. */
    static PeerRepairStatus none(String peer) {
        return new PeerRepairStatus(
                peer, Phase.NONE, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new Totals(0, 0, 0));
    }

    PeerRepairStatus waiting() {
        return new PeerRepairStatus(
                peer, Phase.WAITING, "", 0, 0, 0, 0, 0, 0, 0, 0, completeSince, 0, total);
    }

    PeerRepairStatus withAge(double seconds) {
        return new PeerRepairStatus(
                peer,
                phase,
                detail,
                compared,
                differing,
                pushed,
                pulled,
                refused,
                unreadable,
                bytes,
                nanos,
                completeSince,
                seconds,
                total);
    }

    public enum Phase {
        /** No repair has begun since the node started. */
        NONE,
        /** The repair begins later in the round. */
        WAITING,
        /** The repair is in progress. */
        RUNNING,
        /** Both members have the same entries, except those written meanwhile. */
        AGREED,
        /** The repair is incomplete: ranges were unreadable, or entries were refused. */
        INCOMPLETE,
        FAILED
    }

    /**
     * The totals since the node started.
     *
     * @param pushed entries that the peer took
     * @param pulled entries that were taken from the peer
     * @param bytes of requests and answers, both ways
     */
    public record Totals(long pushed, long pulled, long bytes) {}
}
