/**
 * The runtime of all parts of a node: clocks, timers, deadlines, serial tasks, pacing, and memory
 * budgets.
 *
 * <p>No other package of a node reads a real clock.
 */
package dev.quorate.router.runtime;
