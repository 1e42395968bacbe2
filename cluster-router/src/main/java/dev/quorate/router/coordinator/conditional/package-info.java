/**
 * Executes conditional writes; writes of one key run one after the other. {@code
 * router.conditional} decides each step.
 */
@NullMarked
package dev.quorate.router.coordinator.conditional;

import org.jspecify.annotations.NullMarked;
