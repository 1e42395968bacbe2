/**
 * How much of the heap large values may take, whoever holds them.
 *
 * <p>Allowed imports: none.
 */
@NullMarked
package dev.quorate.node.memory;

import org.jspecify.annotations.NullMarked;
