/**
 * How requests reach the other nodes: coalesced into exchanges of {@code java.net.http}, whose only
 * user this package is.
 */
@NullMarked
package dev.quorate.node.transport;

import org.jspecify.annotations.NullMarked;
