/**
 * The console at {@code /}: one page, the samples of the last hour that it draws, and the stream
 * that updates it. {@code Sample} decides what a sample is, {@code RateHistory} stores them, {@code
 * ConsoleStreams} sends. May depend on {@code admin}, whose view of the node it shows, {@code
 * events}, and the figures of {@code http}, {@code coordinator}, {@code handoff}, {@code health},
 * {@code antientropy}.
 */
package dev.quorate.node.console;
