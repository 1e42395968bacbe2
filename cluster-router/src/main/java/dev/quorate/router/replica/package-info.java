/**
 * The interface of a replica, and this node's replica. Peers in {@code transport} are the others.
 */
package dev.quorate.router.replica;
