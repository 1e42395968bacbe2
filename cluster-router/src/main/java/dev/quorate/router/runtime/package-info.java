/**
 * The runtime of all parts of a node: clocks, timers, deadlines, serial tasks, pacing, and memory
 * budgets.
 *
 * <p>The only place in the node that reads a real clock.
 */
@NullMarked
package dev.quorate.router.runtime;

import org.jspecify.annotations.NullMarked;
