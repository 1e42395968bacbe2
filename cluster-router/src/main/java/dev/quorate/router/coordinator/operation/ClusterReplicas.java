package dev.quorate.router.coordinator.operation;

import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import java.util.Collection;

/**
 * The replicas that a coordinator asks.
 *
 * @param ring which members own a key
 * @param local this node's
 * @param remote one for each other member of the topology
 */
public record ClusterReplicas(Ring ring, Replica local, Collection<? extends Replica> remote) {}
