/**
 * Other programs, run to their end.
 *
 * <p>Allowed imports: the JDK.
 */
@NullMarked
package dev.quorate.loadtest.process;

import org.jspecify.annotations.NullMarked;
