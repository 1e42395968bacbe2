/**
 * Sends requests to the other nodes, batched into exchanges over {@code java.net.http}, whose only
 * user this package is.
 */
@NullMarked
package dev.quorate.router.transport;

import org.jspecify.annotations.NullMarked;
