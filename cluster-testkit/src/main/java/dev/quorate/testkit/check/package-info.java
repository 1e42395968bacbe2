/**
 * {@code ./quorate check}: clients read and write a real cluster while its nodes are killed, paused
 * and partitioned, and the checker checks the history.
 *
 * <p>{@code FaultSchedule} draws the faults from a seed, {@code FaultRunner} injects them into a
 * {@code Cluster}; {@code CheckWorkload} draws the requests, {@code Traffic} sends them; {@code
 * CheckRun} runs both and passes the history to the checker of {@code testkit.history}. {@code
 * HistoryClient} is the only user of {@code java.net.http} in this package.
 */
package dev.quorate.testkit.check;
