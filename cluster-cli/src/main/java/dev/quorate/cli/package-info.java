/**
 * The command line: {@code ./quorate} starts {@code Main}, which runs one command.
 *
 * <p>{@code node} runs a node in the foreground, {@code verify} and {@code salvage} read the files
 * of a stopped node, and {@code rehearse} fills the AOT cache. The commands for a cluster on this
 * machine are in {@code local}, those of a client in {@code client}.
 */
package dev.quorate.cli;
