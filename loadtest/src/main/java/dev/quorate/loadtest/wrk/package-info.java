/**
 * The load generators wrk and wrk2: how they are told what to do, and what their output says.
 *
 * <p>Allowed imports: the JDK, {@code loadtest.load}, {@code harness}.
 */
@NullMarked
package dev.quorate.loadtest.wrk;

import org.jspecify.annotations.NullMarked;
