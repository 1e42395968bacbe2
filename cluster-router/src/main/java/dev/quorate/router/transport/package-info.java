/**
 * Sends requests to the other nodes, batched into exchanges over {@code java.net.http}. No other
 * package of a node uses it.
 */
@NullMarked
package dev.quorate.router.transport;

import org.jspecify.annotations.NullMarked;
