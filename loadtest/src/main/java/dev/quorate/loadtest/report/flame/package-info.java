/**
 * Stacks that a profiler collected: which part of the system each is in, and a flame graph of them.
 * Pure functions of text.
 *
 * <p>Allowed imports: the JDK, {@code harness} ({@code CommandException}), {@code
 * loadtest.report.svg}.
 */
@NullMarked
package dev.quorate.loadtest.report.flame;

import org.jspecify.annotations.NullMarked;
