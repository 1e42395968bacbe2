/**
 * Which peers are worth asking: breakers, and what they have seen.
 *
 * <p>Allowed imports: the JDK, {@code runtime}, SLF4J.
 */
@NullMarked
package dev.quorate.node.health;

import org.jspecify.annotations.NullMarked;
