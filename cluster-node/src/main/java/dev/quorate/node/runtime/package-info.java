/**
 * What every part of a node runs on: clocks, timers, deadlines, tasks one after the other, pacing,
 * and the budget of memory for large values.
 *
 * <p>The only place in the node that reads a real clock. Allowed imports: none.
 */
@NullMarked
package dev.quorate.node.runtime;

import org.jspecify.annotations.NullMarked;
