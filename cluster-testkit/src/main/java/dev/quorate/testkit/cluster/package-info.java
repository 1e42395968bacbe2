/**
 * What an embedded cluster is made of: production nodes on real sockets and real directories, each
 * in surroundings that can be made to fail. Users get these from {@code QuorateCluster}. May know
 * {@code dev.quorate.testkit.history}, and of the product what it is put together from.
 */
@NullMarked
package dev.quorate.testkit.cluster;

import org.jspecify.annotations.NullMarked;
