/**
 * Time as the node uses it: wall and monotonic clocks, the hybrid logical clock, and a scheduler.
 *
 * <p>The only place in the node that reads a real clock.
 */
@NullMarked
package dev.quorate.node.clock;

import org.jspecify.annotations.NullMarked;
