/** How many operations a node admits, and what it refuses. */
@NullMarked
package dev.quorate.router.coordinator.admission;

import org.jspecify.annotations.NullMarked;
