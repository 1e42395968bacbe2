/**
 * The server: {@code ClusterNode} starts one, and wires {@code NodeCore}, which is all but the
 * sockets, and the listeners before it.
 *
 * <p>The two are the composition root, and the only classes that wire across packages.
 */
@NullMarked
package dev.quorate.node;

import org.jspecify.annotations.NullMarked;
