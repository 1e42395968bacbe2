/**
 * What a load report measures: which loads have a name, at which rate each runs, and the runs
 * themselves.
 *
 * <p>Allowed imports: the JDK, {@code loadtest.load}, {@code loadtest.report}, {@code
 * loadtest.profile}, {@code harness}.
 */
@NullMarked
package dev.quorate.loadtest.scenario;

import org.jspecify.annotations.NullMarked;
