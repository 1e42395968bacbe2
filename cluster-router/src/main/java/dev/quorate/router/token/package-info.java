/**
 * A token is a point on the ring, and this is how a key gets one.
 *
 * <p>Allowed imports: the JDK without I/O, clocks and threads; Guava's hashing.
 */
@NullMarked
package dev.quorate.router.token;

import org.jspecify.annotations.NullMarked;
