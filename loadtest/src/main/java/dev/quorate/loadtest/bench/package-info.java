/**
 * What is measured, in which order, and when a measurement is worth nothing.
 *
 * <p>Allowed imports: the JDK, {@code loadtest.load}, {@code harness}, {@code loadtest.wrk}.
 */
@NullMarked
package dev.quorate.loadtest.bench;

import org.jspecify.annotations.NullMarked;
