/**
 * Conditional writes beside plain ones, and clients that compete for one key.
 *
 * <p>Allowed imports: the JDK, Gson, {@code loadtest.bench}, {@code loadtest.figures}, {@code
 * harness}.
 */
@NullMarked
package dev.quorate.loadtest.conditional;

import org.jspecify.annotations.NullMarked;
