/**
 * The ring: which member owns which range of tokens.
 *
 * <p>Allowed imports: the JDK without I/O, clocks and threads; {@code router.token}, {@code
 * router.topology}.
 */
@NullMarked
package dev.quorate.router.ring;

import org.jspecify.annotations.NullMarked;
