/**
 * The store itself. {@link dev.quorate.storage.engine.LsmStore} is the door; behind it:
 *
 * <ul>
 *   <li>{@code WritePath}: durable entries become visible, in the order of the log.
 *   <li>{@code ReadPath}: the newest entry over everything that may hold a key.
 *   <li>{@code LiveVersion}: publishes the immutable {@code SuperVersion} that readers see.
 *   <li>{@code Flusher} and {@code CompactionRunner}: memtables to tables, tables to fewer tables.
 *   <li>{@code SpaceWatch}: what happens when the disk is full, and when it no longer is.
 *   <li>{@code Opening}: from files to a running store.
 * </ul>
 *
 * <p>Allowed imports: the JDK and all of {@code storage}.
 */
@NullMarked
package dev.quorate.storage.engine;

import org.jspecify.annotations.NullMarked;
