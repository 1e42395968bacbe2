/**
 * Starts real nodes, breaks them and their network, and asks them: for benchmarks, checks and tests
 * of processes.
 *
 * <p>{@code LocalCluster} runs {@code ./quorate} as a user does, and kills and pauses its nodes;
 * {@code RelayNetwork} cuts the network between nodes by {@code Relay}s, of which one also delays
 * what it passes on. Knows nodes from outside alone. Allowed imports: the JDK.
 */
@NullMarked
package dev.quorate.harness;

import org.jspecify.annotations.NullMarked;
