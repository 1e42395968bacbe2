/**
 * The engine. {@link dev.quorate.storage.engine.LsmStore} is its entry point, composed of:
 *
 * <ul>
 *   <li>{@code WritePath}: makes durable entries visible, in the order of the log.
 *   <li>{@code ReadPath}: finds the newest entry of a key in all memtables and tables.
 *   <li>{@code LiveVersion}: publishes the immutable {@code SuperVersion} that readers see.
 *   <li>{@code Flusher} and {@code CompactionRunner}: write memtables to tables, and merge tables.
 *   <li>{@code SpaceWatch}: rejects writes while the disk is full.
 *   <li>{@code Opening}: reads the files of a store when it opens.
 * </ul>
 */
package dev.quorate.storage.engine;
