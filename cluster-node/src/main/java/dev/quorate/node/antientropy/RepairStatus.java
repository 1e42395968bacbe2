package dev.quorate.node.antientropy;

import dev.quorate.node.antientropy.PeerRepairStatus.Phase;
import java.util.List;

/**
 * The status of this node's repairs.
 *
 * @param round the number of the current or last round, from 1; 0 if there was none since the start
 * @param running whether it is under way
 * @param peers in the order of the topology
 */
public record RepairStatus(long round, boolean running, List<PeerRepairStatus> peers) {
    public RepairStatus {
        peers = List.copyOf(peers);
    }

    /** Whether the last round has ended, and this node has the same entries as each peer. */
    public boolean agreed() {
        return round > 0
                && !running
                && peers.stream().allMatch(peer -> peer.phase() == Phase.AGREED);
    }
}
