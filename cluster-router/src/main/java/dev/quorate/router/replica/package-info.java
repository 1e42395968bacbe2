/**
 * The interface of a replica, and this node's own. The others' are the peers of {@code transport}.
 *
 * <p>Allowed imports: {@code conditional}, {@code message}, {@code clock}, {@code runtime}, {@code
 * storage}, {@code router}.
 */
@NullMarked
package dev.quorate.router.replica;

import org.jspecify.annotations.NullMarked;
