/**
 * Whole clusters on one thread in virtual time: production nodes without their sockets, a simulated
 * network, simulated disks, clients, and a schedule of faults, all drawn from one seed. The package
 * uses no clock, other randomness or thread.
 */
package dev.quorate.testkit.simulation;
