/**
 * Compaction: {@code CompactionPicker} decides which tables to merge, as a pure function of their
 * metadata, and {@code Compactor} merges them.
 *
 * <p>Allowed imports: the JDK, {@code storage}, {@code storage.format}, {@code storage.io}, {@code
 * storage.cursor}, {@code storage.sstable}.
 */
@NullMarked
package dev.quorate.storage.compaction;

import org.jspecify.annotations.NullMarked;
