/**
 * {@code ./quorate bench faults}: the throughput and latency of a cluster of three while one node
 * is paused, killed or delayed, beside those right before; and after its return.
 *
 * <p>What is measured is a ratio. Allowed imports: the JDK, {@code harness}, {@code
 * loadtest.bench}, {@code loadtest.figures}, {@code loadtest.load}, {@code loadtest.metrics}.
 */
@NullMarked
package dev.quorate.loadtest.fault;

import org.jspecify.annotations.NullMarked;
