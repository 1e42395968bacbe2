/**
 * Sends requests to the other nodes, batched into exchanges over {@code java.net.http}. No other
 * package of a node uses it.
 */
package dev.quorate.router.transport;
