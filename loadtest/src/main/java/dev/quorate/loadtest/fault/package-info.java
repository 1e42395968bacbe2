/**
 * {@code ./quorate bench faults}: what a cluster of three does while one of them is paused, killed
 * or far away, beside what it did right before; and what its return does to the others.
 *
 * <p>Not a case of {@code bench pressure}: its clients are not too many, so that wrk serves, and
 * what is measured is a ratio. Allowed imports: the JDK, {@code harness}, {@code loadtest.bench},
 * {@code loadtest.figures}, {@code loadtest.load}, {@code loadtest.metrics}.
 */
@NullMarked
package dev.quorate.loadtest.fault;

import org.jspecify.annotations.NullMarked;
