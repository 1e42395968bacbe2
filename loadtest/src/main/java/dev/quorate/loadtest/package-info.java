/**
 * {@code ./quorate bench}: starts clusters, or storage engines, of its own, loads them, and prints
 * what they can do.
 *
 * <p>It uses a cluster as users do, by its command line and by HTTP. This package holds the command
 * line and wires the rest.
 */
@NullMarked
package dev.quorate.loadtest;

import org.jspecify.annotations.NullMarked;
