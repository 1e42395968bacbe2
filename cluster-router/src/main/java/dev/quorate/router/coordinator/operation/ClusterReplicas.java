package dev.quorate.router.coordinator.operation;

import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.LiveTopology;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * The replicas that a coordinator asks.
 *
 * @param topology the topology that this node uses
 * @param ring for its members
 * @param local this node's
 * @param remote returns one for each other member of the topology
 */
public record ClusterReplicas(
        LiveTopology topology,
        Ring ring,
        Replica local,
        Supplier<Collection<? extends Replica>> remote) {}
