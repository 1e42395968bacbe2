/**
 * Serves a client's operation from as many replicas as it asks for.
 *
 * <p>Event-driven: no thread waits for a replica. Allowed imports: {@code replica}, {@code
 * conditional}, {@code message}, {@code clock}, {@code runtime}, {@code router}, {@code storage}.
 */
@NullMarked
package dev.quorate.router.coordinator;

import org.jspecify.annotations.NullMarked;
