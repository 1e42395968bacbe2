/**
 * {@code ./quorate bench pressure}: what clients that send too much, or too slowly, do to a cluster
 * and to its other clients.
 *
 * <p>Clients of its own, over sockets that do not block: wrk and wrk2 do not separate latencies by
 * status, so that fast refusals would count as fast answers, and they cannot drip a header. Allowed
 * imports: the JDK, {@code loadtest.figures}, {@code loadtest.http}, {@code loadtest.metrics}.
 */
@NullMarked
package dev.quorate.loadtest.pressure;

import org.jspecify.annotations.NullMarked;
