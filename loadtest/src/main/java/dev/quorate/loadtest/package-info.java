/**
 * {@code ./quorate bench} and {@code ./quorate report}: start clusters or storage engines, load
 * them, and print or write the results.
 *
 * <p>They use a cluster as users do, by its command line and by HTTP. This package contains the
 * commands.
 */
@NullMarked
package dev.quorate.loadtest;

import org.jspecify.annotations.NullMarked;
