/**
 * The parts of an embedded cluster: production nodes on real sockets and real directories, with
 * injected faults. Users get these from {@code QuorateCluster}. Allowed imports: {@code
 * dev.quorate.testkit.history}, and the parts of the product that a node is assembled from.
 */
@NullMarked
package dev.quorate.testkit.cluster;

import org.jspecify.annotations.NullMarked;
