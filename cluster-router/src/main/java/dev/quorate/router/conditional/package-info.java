/**
 * The acceptors of conditional writes, and the decisions of their coordinators (decision 0029).
 * Pure: no I/O, no clock, no lock.
 */
package dev.quorate.router.conditional;
