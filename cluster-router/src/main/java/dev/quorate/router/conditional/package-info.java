/**
 * The acceptors of conditional writes, and the decisions of their coordinators (decision 0029).
 * Pure: no I/O, no clock, no lock.
 */
@NullMarked
package dev.quorate.router.conditional;

import org.jspecify.annotations.NullMarked;
