/**
 * Serves a client's operation from as many replicas as it asks for.
 *
 * <p>Event-driven: no thread waits for a replica.
 */
package dev.quorate.router.coordinator;
