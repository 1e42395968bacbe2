/**
 * Which members are the replicas of a key, and in which order.
 *
 * <p>Allowed imports: the JDK without I/O, clocks and threads; {@code router.token}, {@code
 * router.topology}, {@code router.ring}, {@code router.quorum}.
 */
@NullMarked
package dev.quorate.router.placement;

import org.jspecify.annotations.NullMarked;
