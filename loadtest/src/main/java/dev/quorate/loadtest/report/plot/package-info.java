/**
 * Drawings of what was measured: latency by percentile, latency and throughput over time, and the
 * search for the breaking point. Pure functions of figures.
 *
 * <p>Allowed imports: the JDK, {@code loadtest.load} ({@code Spectrum}), {@code loadtest.report},
 * {@code loadtest.report.svg}.
 */
@NullMarked
package dev.quorate.loadtest.report.plot;

import org.jspecify.annotations.NullMarked;
