package dev.quorate.node.antientropy;

/**
 * How the last repair with one peer went, or goes.
 *
 * @param peer its name
 * @param phase how far it is
 * @param detail why it failed, or is incomplete; else empty
 * @param compared entries of this node that were compared
 * @param differing keys found to differ
 * @param pushed entries that the peer took
 * @param pulled entries that were taken from the peer
 * @param refused entries that one of the two did not take
 * @param unreadable ranges that one of the two could not read
 * @param bytes of requests and answers, both ways
 * @param nanos how long it took, or has taken so far
 * @param completeSince when the last complete repair with it began, in milliseconds since 1970 of
 *     this node's clock; 0 if there was none since the node started. Whatever this node had by then
 *     that the peer is to hold too, the peer has
 * @param ageSeconds since the last complete repair with it began, or since the node started
 * @param total what all repairs with it since the start came to
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

    /** Of a peer that no repair was begun with. */
    static PeerRepairStatus none(String peer) {
        return new PeerRepairStatus(
                peer, Phase.NONE, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new Totals(0, 0, 0));
    }

    /** The same peer, whose turn comes later. */
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

    /** How far a repair is. */
    public enum Phase {
        /** None was begun since the node started. */
        NONE,
        /** Its turn in the round comes later. */
        WAITING,
        /** It is under way. */
        RUNNING,
        /** Both hold the same now, but for what was written meanwhile. */
        AGREED,
        /** As far as both could be read and would take each other's entries. */
        INCOMPLETE,
        /** It ended before its end. */
        FAILED
    }

    /**
     * Since the node started.
     *
     * @param pushed entries that the peer took
     * @param pulled entries that were taken from the peer
     * @param bytes of requests and answers, both ways
     */
    public record Totals(long pushed, long pulled, long bytes) {}
}
