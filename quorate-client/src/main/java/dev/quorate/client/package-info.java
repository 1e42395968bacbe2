/**
 * A client of Quorate for programs in Java 17 and later: {@link dev.quorate.client.QuorateClient}
 * blocks, {@link dev.quorate.client.AsyncQuorateClient} does not. It uses the JDK alone.
 *
 * <p>A {@code Rule} decides what follows an attempt; a {@code Call} sends, waits and ends. {@code
 * Endpoints} chooses nodes, {@code Ring} knows the owners of a key, {@code Http} is the only user
 * of {@code java.net.http}.
 */
@NullMarked
package dev.quorate.client;

import org.jspecify.annotations.NullMarked;
