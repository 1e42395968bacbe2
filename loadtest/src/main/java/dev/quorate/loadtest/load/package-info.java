/**
 * A load, whoever sends it: what is sent, how, and what came of it.
 *
 * <p>Allowed imports: the JDK, HdrHistogram, {@code harness}.
 */
@NullMarked
package dev.quorate.loadtest.load;

import org.jspecify.annotations.NullMarked;
