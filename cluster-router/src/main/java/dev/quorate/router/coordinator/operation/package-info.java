/** The shared parts of operations: outcomes, explanations, traces, and the replicas of a key. */
@NullMarked
package dev.quorate.router.coordinator.operation;

import org.jspecify.annotations.NullMarked;
