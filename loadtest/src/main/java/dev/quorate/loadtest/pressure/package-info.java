/**
 * {@code ./quorate bench pressure}: what clients that send too much, or too slowly, do to a cluster
 * and to its other clients.
 *
 * <p>Clients of its own, over sockets that do not block, since no load generator tells how fast
 * refusals are, or drips a header. Allowed imports: the JDK, and the packages for reports and for
 * programs that are run.
 */
@NullMarked
package dev.quorate.loadtest.pressure;

import org.jspecify.annotations.NullMarked;
