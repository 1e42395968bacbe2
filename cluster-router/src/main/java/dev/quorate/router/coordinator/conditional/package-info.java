/**
 * Executes conditional writes, those of one key one after the other. {@code router.conditional}
 * decides each step.
 */
@NullMarked
package dev.quorate.router.coordinator.conditional;

import org.jspecify.annotations.NullMarked;
