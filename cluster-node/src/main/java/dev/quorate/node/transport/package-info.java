/**
 * Sends requests to the other nodes, batched into exchanges over {@code java.net.http}, whose only
 * user this package is; and receives the other nodes' exchanges at the door.
 *
 * <p>Allowed imports: {@code replica}, {@code message}, {@code health}, {@code clock}, {@code
 * runtime}, {@code router}, {@code tls}, and of {@code http} the seam that the door answers
 * through.
 */
@NullMarked
package dev.quorate.node.transport;

import org.jspecify.annotations.NullMarked;
