/**
 * The metrics of a node.
 *
 * <p>Allowed imports: the JDK.
 */
@NullMarked
package dev.quorate.loadtest.metrics;

import org.jspecify.annotations.NullMarked;
