/**
 * {@code ./quorate bench} and {@code ./quorate report}: start clusters or storage engines, load
 * them, and print or write the results.
 *
 * <p>They use a cluster as users do, by its command line and by HTTP. This package contains the
 * commands.
 */
package dev.quorate.loadtest;
