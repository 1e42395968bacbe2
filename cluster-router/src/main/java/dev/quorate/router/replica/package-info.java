/**
 * The interface of a replica, and this node's replica. Peers in {@code transport} are the others.
 */
@NullMarked
package dev.quorate.router.replica;

import org.jspecify.annotations.NullMarked;
