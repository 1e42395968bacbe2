/**
 * Receives the exchanges of the other nodes, and gives their requests to this node's replica.
 *
 * <p>Allowed imports: {@code http}'s interface of a handler; {@code router.transport}'s identity,
 * {@code router.replica}, {@code router.message}, {@code router.conditional}, {@code router.clock},
 * {@code router.runtime}.
 */
@NullMarked
package dev.quorate.node.peer;

import org.jspecify.annotations.NullMarked;
