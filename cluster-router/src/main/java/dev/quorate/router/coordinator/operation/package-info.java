/** The shared parts of operations: outcomes, explanations, traces, and the replicas of a key. */
package dev.quorate.router.coordinator.operation;
