package dev.quorate.router.coordinator.operation;

import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.LiveTopology;
import java.util.Collection;

/**
 * The replicas that a coordinator asks.
 *
 * @param topology the topology that this node uses
 * @param ring which members own a key in it
 * @param local this node's
 * @param remote one for each other member of the topology
 */
public record ClusterReplicas(
        LiveTopology topology, Ring ring, Replica local, Collection<? extends Replica> remote) {}
