/**
 * The load generator: what it is told to do, and what its output says.
 *
 * <p>Allowed imports: the JDK, {@code loadtest.process}.
 */
@NullMarked
package dev.quorate.loadtest.wrk;

import org.jspecify.annotations.NullMarked;
