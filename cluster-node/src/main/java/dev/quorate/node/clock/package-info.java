/**
 * Time as the node uses it: wall and monotonic clocks, the hybrid logical clock, deadlines, and a
 * scheduler.
 *
 * <p>The only place in the node that reads a real clock. Allowed imports: {@code storage}'s values,
 * its checksum, and {@code storage.io}, since the hybrid clock keeps a bound on disk.
 */
@NullMarked
package dev.quorate.node.clock;

import org.jspecify.annotations.NullMarked;
