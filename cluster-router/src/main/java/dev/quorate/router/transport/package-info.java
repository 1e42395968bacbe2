/**
 * Sends requests to the other nodes, batched into exchanges over {@code java.net.http}, whose only
 * user this package is.
 *
 * <p>Allowed imports: {@code replica}, {@code message}, {@code health}, {@code clock}, {@code
 * runtime}.
 */
@NullMarked
package dev.quorate.router.transport;

import org.jspecify.annotations.NullMarked;
