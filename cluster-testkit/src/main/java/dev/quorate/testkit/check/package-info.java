/**
 * {@code ./quorate check}: clients work on a real cluster while its nodes are killed, paused and
 * cut off from each other, and what they were told is judged.
 *
 * <p>{@code FaultSchedule} draws from a seed what will happen, {@code Nemesis} does it to a {@code
 * Cluster}; {@code Workload} draws what clients ask, {@code Traffic} asks it; {@code CheckRun} lets
 * both run and has the judge of {@code testkit.history} look at it. {@code Requests} alone speaks
 * HTTP. Allowed imports: the JDK, picocli, {@code harness}, {@code testkit.history}, {@code cli},
 * {@code cli.local}, {@code node.clock}, {@code router.quorum}.
 */
@NullMarked
package dev.quorate.testkit.check;

import org.jspecify.annotations.NullMarked;
