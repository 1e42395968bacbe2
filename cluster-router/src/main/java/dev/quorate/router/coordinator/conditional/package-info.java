/**
 * Conditional writes of one key, which are made one after the other; {@code router.conditional}
 * decides each step.
 */
@NullMarked
package dev.quorate.router.coordinator.conditional;

import org.jspecify.annotations.NullMarked;
