package dev.quorate.node.transport;

import dev.quorate.node.clock.HybridClock;
import dev.quorate.node.message.FrameSeal;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;

/**
 * Who this node is to its peers, and what it shares with them.
 *
 * @param topology the members, the same on every node
 * @param self this node
 * @param seal keyed with the cluster's secret
 * @param clock moves with every message, both ways
 */
public record Identity(Topology topology, Member self, FrameSeal seal, HybridClock clock) {}
