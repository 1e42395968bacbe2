/**
 * The bound of the hybrid clock, and the moments that a node keeps on disk.
 *
 * <p>Allowed imports: {@code router.clock}, {@code router.runtime}; of {@code storage} its values,
 * its checksum, and {@code storage.io}.
 */
@NullMarked
package dev.quorate.node.clock;

import org.jspecify.annotations.NullMarked;
