/**
 * What has been measured: durations as they are counted, a table for people, JSON for programs.
 *
 * <p>Allowed imports: the JDK, HdrHistogram.
 */
@NullMarked
package dev.quorate.loadtest.figures;

import org.jspecify.annotations.NullMarked;
