/**
 * The harness of clusters of real processes, for benchmarks, {@code check} and process tests: it
 * starts nodes, injects faults into them and their network, and sends requests.
 *
 * <p>{@code ProcessCluster} runs {@code ./quorate} as a user does; {@code NodeSignals} kills,
 * pauses and resumes processes; {@code RelayNetwork} cuts links between nodes by {@code Relay}s,
 * and a single {@code Relay} also delays a link; {@code NodeClient} and {@code EntityClient} send
 * requests; {@code FaultKind} names the faults. A node is a process and a port: no class of the
 * product is used. Allowed imports: the JDK.
 */
@NullMarked
package dev.quorate.harness;

import org.jspecify.annotations.NullMarked;
