/**
 * The contents of a load report: the loads, their results, where the time went, and what is
 * missing. Values alone; the packages below draw, write, read and compare them.
 *
 * <p>Allowed imports: the JDK, HdrHistogram, {@code loadtest.load}, {@code loadtest.profile}
 * ({@code ProfileKind}), {@code loadtest.report.flame} ({@code Part}).
 */
@NullMarked
package dev.quorate.loadtest.report;

import org.jspecify.annotations.NullMarked;
