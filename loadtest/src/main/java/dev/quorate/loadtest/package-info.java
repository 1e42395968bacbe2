/**
 * {@code ./quorate bench}: starts clusters of its own, loads them, and prints what they can do.
 *
 * <p>Knows a cluster only as its users do, by its command line and by HTTP. Allowed imports: the
 * JDK, picocli, {@code loadtest.wrk}, {@code loadtest.cluster} and {@code loadtest.report}.
 */
@NullMarked
package dev.quorate.loadtest;

import org.jspecify.annotations.NullMarked;
