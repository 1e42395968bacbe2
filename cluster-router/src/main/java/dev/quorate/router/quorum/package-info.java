/**
 * How many replicas have to agree, and when that is decided.
 *
 * <p>Allowed imports: the JDK without I/O, clocks and threads.
 */
@NullMarked
package dev.quorate.router.quorum;

import org.jspecify.annotations.NullMarked;
