package dev.quorate.node.transport;

import dev.quorate.node.clock.HybridClock;
import dev.quorate.node.message.FrameSeal;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.random.RandomGenerator;

/**
 * Who this node is to its peers, and what it shares with them.
 *
 * @param topology the members, the same on every node
 * @param self this node
 * @param seal keyed with the cluster's secret
 * @param clock moves with every message, both ways
 * @param life drawn at random when this process started, and not 0: what was sent to one before it
 *     is refused
 */
public record Identity(
        Topology topology, Member self, FrameSeal seal, HybridClock clock, long life) {

    public Identity {
        if (life == 0) {
            throw new IllegalArgumentException("a life is not 0");
        }
    }

    /** A life, drawn from what nobody can guess. */
    public static long drawLife(RandomGenerator random) {
        long life = random.nextLong();
        return life == 0 ? 1 : life;
    }
}
