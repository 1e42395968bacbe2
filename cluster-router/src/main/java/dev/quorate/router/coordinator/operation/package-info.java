/**
 * What all operations share: their outcomes, explanations and traces, and the replicas of a key.
 */
@NullMarked
package dev.quorate.router.coordinator.operation;

import org.jspecify.annotations.NullMarked;
