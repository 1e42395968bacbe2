/**
 * Nodes in containers, for tests with Testcontainers 2 or 1.21: {@link
 * dev.quorate.testcontainers.QuorateContainer} is one node, {@link
 * dev.quorate.testcontainers.QuorateClusterContainer} a cluster.
 */
@NullMarked
package dev.quorate.testcontainers;

import org.jspecify.annotations.NullMarked;
