/** Ranges: pages of several replicas, merged in key order within a bound of memory. */
@NullMarked
package dev.quorate.router.coordinator.range;

import org.jspecify.annotations.NullMarked;
