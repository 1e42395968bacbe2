package dev.quorate.node.antientropy;

import dev.quorate.node.antientropy.PeerRepairStatus.Phase;
import java.util.List;

/**
 * How this node's repairs go.
 *
 * @param round which one it is, or was; they are counted from 1, and 0 means none since the start
 * @param running whether it is under way
 * @param peers in the order of the topology
 */
public record RepairStatus(long round, boolean running, List<PeerRepairStatus> peers) {
    public RepairStatus {
        peers = List.copyOf(peers);
    }

    /** Whether the last round has ended, and this node holds the same as each of its peers. */
    public boolean agreed() {
        return round > 0
                && !running
                && peers.stream().allMatch(peer -> peer.phase() == Phase.AGREED);
    }
}
