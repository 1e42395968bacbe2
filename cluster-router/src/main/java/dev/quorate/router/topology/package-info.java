/**
 * Which members there are: a static, immutable list that every node has to have alike.
 *
 * <p>Allowed imports: the JDK without I/O, clocks and threads; {@code router.token}.
 */
@NullMarked
package dev.quorate.router.topology;

import org.jspecify.annotations.NullMarked;
