/**
 * The server: {@code ClusterNode} starts a node, and wires {@code NodeCore}, which is everything
 * except the sockets, to the listeners.
 *
 * <p>The two are the composition root, and the only classes that wire across packages.
 */
package dev.quorate.node;
