/**
 * The load generators wrk and wrk2: their command lines and their output.
 *
 * <p>Allowed imports: the JDK, {@code loadtest.load}, {@code harness}.
 */
@NullMarked
package dev.quorate.loadtest.wrk;

import org.jspecify.annotations.NullMarked;
