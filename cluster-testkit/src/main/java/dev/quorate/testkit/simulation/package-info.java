/**
 * Whole clusters on one thread, under virtual time: production nodes (all but their sockets), a
 * simulated network, simulated disks, clients, and a schedule of faults, all drawn from one seed.
 * No clock, randomness or thread of its own.
 */
@NullMarked
package dev.quorate.testkit.simulation;

import org.jspecify.annotations.NullMarked;
