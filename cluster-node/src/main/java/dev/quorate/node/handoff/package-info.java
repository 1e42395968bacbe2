/**
 * Keeps writes for replicas that were away, and sends them when they are back.
 *
 * <p>A convenience: bounded in bytes and in age, may be lost, and never counted as an
 * acknowledgement. Allowed imports: {@code coordinator} (what it is told), {@code background},
 * {@code replica}, {@code message}, {@code runtime}, {@code router}, {@code storage}.
 */
@NullMarked
package dev.quorate.node.handoff;

import org.jspecify.annotations.NullMarked;
