/**
 * Profiles of nodes while they are measured.
 *
 * <p>Allowed imports: the JDK (also its attach API), {@code harness}. async-profiler is in no
 * import: its library is loaded into the nodes.
 */
@NullMarked
package dev.quorate.loadtest.profile;

import org.jspecify.annotations.NullMarked;
