/**
 * The hybrid logical clock, which stamps writes, and the moments that a node keeps on disk.
 *
 * <p>Allowed imports: {@code runtime}; of {@code storage} its values, its checksum, and {@code
 * storage.io}, since the clock keeps a bound on disk.
 */
@NullMarked
package dev.quorate.node.clock;

import org.jspecify.annotations.NullMarked;
