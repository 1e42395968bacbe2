/**
 * The same load for Quorate and for another store, by turns.
 *
 * <p>Allowed imports: the JDK, Gson, {@code loadtest.bench}, {@code loadtest.figures}, {@code
 * loadtest.http}, {@code loadtest.load}, {@code harness}.
 */
@NullMarked
package dev.quorate.loadtest.beside;

import org.jspecify.annotations.NullMarked;
