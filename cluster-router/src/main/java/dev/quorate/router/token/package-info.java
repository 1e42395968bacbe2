/**
 * Tokens, which are points on the ring, and the hash that maps a key to one.
 *
 * <p>Allowed imports: the JDK without I/O, clocks and threads; Guava's hashing.
 */
@NullMarked
package dev.quorate.router.token;

import org.jspecify.annotations.NullMarked;
