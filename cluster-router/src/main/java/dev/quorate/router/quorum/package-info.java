/**
 * How many replicas must agree, and when an operation is decided.
 *
 * <p>Allowed imports: the JDK without I/O, clocks and threads.
 */
@NullMarked
package dev.quorate.router.quorum;

import org.jspecify.annotations.NullMarked;
