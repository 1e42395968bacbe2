/**
 * A disk in memory that fails as it is told: for tests, and for simulations of whole clusters. No
 * other code may use it. Uses {@code io} alone.
 */
@NullMarked
package dev.quorate.storage.simulated;

import org.jspecify.annotations.NullMarked;
