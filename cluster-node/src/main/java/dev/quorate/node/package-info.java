/**
 * The server: {@code Main} starts one, {@code ClusterNode} wires one.
 *
 * <p>{@code ClusterNode} is the composition root, and the only class that wires across packages.
 */
@NullMarked
package dev.quorate.node;

import org.jspecify.annotations.NullMarked;
