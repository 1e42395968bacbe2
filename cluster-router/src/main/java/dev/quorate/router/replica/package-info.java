/**
 * The interface of a replica, and this node's own. The others' are the peers of {@code transport}.
 */
@NullMarked
package dev.quorate.router.replica;

import org.jspecify.annotations.NullMarked;
