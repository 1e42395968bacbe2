/**
 * How requests reach the other nodes: coalesced into exchanges of {@code java.net.http}, whose only
 * user this package is; and the door at which the other nodes' exchanges arrive.
 *
 * <p>Allowed imports: {@code replica}, {@code message}, {@code health}, {@code clock}, {@code
 * runtime}, {@code router}, and of {@code http} the seam that the door answers through.
 */
@NullMarked
package dev.quorate.node.transport;

import org.jspecify.annotations.NullMarked;
