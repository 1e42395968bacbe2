/**
 * Requests that were answered late, and what happened in the nodes and on the host at that time.
 *
 * <p>{@link dev.quorate.loadtest.late.Moment} and {@link dev.quorate.loadtest.late.LateCauses}
 * decide, of what {@link dev.quorate.loadtest.late.NodeRecordings} and {@link
 * dev.quorate.loadtest.late.StolenTime} have recorded. Allowed imports: the JDK (also its Flight
 * Recorder), {@code loadtest.bench}, {@code loadtest.figures}, {@code loadtest.load}, {@code
 * loadtest.metrics}, {@code loadtest.openloop}, {@code loadtest.profile}, {@code harness}.
 */
@NullMarked
package dev.quorate.loadtest.late;

import org.jspecify.annotations.NullMarked;
