/**
 * Which peers to ask: breakers, and what they observe.
 *
 * <p>Allowed imports: the JDK, {@code runtime}, SLF4J.
 */
@NullMarked
package dev.quorate.router.health;

import org.jspecify.annotations.NullMarked;
