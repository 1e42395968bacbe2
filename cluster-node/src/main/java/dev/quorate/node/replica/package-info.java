/**
 * One replica of a key, local or remote, behind one interface.
 *
 * <p>Allowed imports: {@code message}, {@code transport}, {@code clock}, {@code storage}, {@code
 * router}.
 */
@NullMarked
package dev.quorate.node.replica;

import org.jspecify.annotations.NullMarked;
