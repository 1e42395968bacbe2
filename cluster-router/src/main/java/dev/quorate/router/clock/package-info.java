/**
 * The hybrid logical clock, which stamps writes.
 *
 * <p>Allowed imports: {@code runtime}; of {@code storage} its timestamps.
 */
@NullMarked
package dev.quorate.router.clock;

import org.jspecify.annotations.NullMarked;
