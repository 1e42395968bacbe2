package dev.quorate.router.transport;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.message.FrameSeal;
import dev.quorate.router.message.Lane;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * This node's identity for its peers, and the state that it shares with them.
 *
 * @param liveTopology the topology that this node uses
 * @param self this node
 * @param seals supplies the seal, keyed with the cluster's current secrets
 * @param clock the hybrid clock, advanced by every message in both directions
 * @param life a random number drawn when this process started, not 0: frames for an earlier process
 *     are refused
 */
public record Identity(
        LiveTopology liveTopology,
        Member self,
        Supplier<FrameSeal> seals,
        HybridClock clock,
        long life) {

    public Identity {
        if (life == 0) {
            throw new IllegalArgumentException("a life is not 0");
        }
    }

    /** The seal that this node uses now. */
    public FrameSeal seal() {
        return seals.get();
    }

    /** The topology that this node uses now. */
    public Topology topology() {
        return liveTopology.current();
    }

    /** The fingerprint in frames of a lane that are encoded in a topology. */
    public static long fingerprint(Topology topology, Lane lane) {
        return lane == Lane.CONTROL ? topology.clusterFingerprint() : topology.fingerprint();
    }

    /** A random life, from an unpredictable generator. */
    public static long drawLife(RandomGenerator random) {
        long life = random.nextLong();
        return life == 0 ? 1 : life;
    }
}
