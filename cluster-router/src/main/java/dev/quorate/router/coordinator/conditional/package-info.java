/**
 * Executes conditional writes; writes of one key run one after the other. {@code
 * router.conditional} decides each step.
 */
package dev.quorate.router.coordinator.conditional;
