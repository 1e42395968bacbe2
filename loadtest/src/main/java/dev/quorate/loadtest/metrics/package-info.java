/**
 * What a node says of itself.
 *
 * <p>Allowed imports: the JDK.
 */
@NullMarked
package dev.quorate.loadtest.metrics;

import org.jspecify.annotations.NullMarked;
