/**
 * Whether two load generators measure the same of the same load.
 *
 * <p>Allowed imports: the JDK, {@code loadtest.bench}, {@code loadtest.figures}, {@code
 * loadtest.load}, {@code harness}.
 */
@NullMarked
package dev.quorate.loadtest.agreement;

import org.jspecify.annotations.NullMarked;
