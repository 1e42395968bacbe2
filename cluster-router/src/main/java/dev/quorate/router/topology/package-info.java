/**
 * The members of the cluster: a static, immutable list that is the same on every node.
 *
 * <p>Allowed imports: the JDK without I/O, clocks and threads; {@code router.token}.
 */
@NullMarked
package dev.quorate.router.topology;

import org.jspecify.annotations.NullMarked;
