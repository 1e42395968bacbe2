/** Limits how many operations a node executes at once. */
@NullMarked
package dev.quorate.router.coordinator.admission;

import org.jspecify.annotations.NullMarked;
