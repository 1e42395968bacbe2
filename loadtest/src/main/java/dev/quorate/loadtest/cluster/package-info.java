/**
 * Clusters on this machine, started and stopped as a user would.
 *
 * <p>Allowed imports: the JDK, {@code loadtest.process}.
 */
@NullMarked
package dev.quorate.loadtest.cluster;

import org.jspecify.annotations.NullMarked;
