/**
 * The interface of a replica, and this node's replica. Those of other nodes are the peers of {@code
 * transport}.
 */
@NullMarked
package dev.quorate.router.replica;

import org.jspecify.annotations.NullMarked;
