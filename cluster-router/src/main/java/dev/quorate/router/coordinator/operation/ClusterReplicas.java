package dev.quorate.router.coordinator.operation;

import dev.quorate.router.placement.ReplicaSelector;
import dev.quorate.router.replica.Replica;
import java.util.Collection;

/**
 * The replicas that a coordinator asks.
 *
 * @param selector which members own a key
 * @param local this node's
 * @param remote one for each other member of the topology
 */
public record ClusterReplicas(
        ReplicaSelector selector, Replica local, Collection<? extends Replica> remote) {}
