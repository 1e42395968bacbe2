/**
 * Compaction: {@code CompactionPicker} decides which tables to merge, as a pure function of their
 * metadata, and {@code Compactor} merges them.
 */
@NullMarked
package dev.quorate.storage.compaction;

import org.jspecify.annotations.NullMarked;
