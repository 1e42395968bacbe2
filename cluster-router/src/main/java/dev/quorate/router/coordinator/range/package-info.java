/** Ranges: pages of several replicas, merged in key order within a bound of memory. */
package dev.quorate.router.coordinator.range;
