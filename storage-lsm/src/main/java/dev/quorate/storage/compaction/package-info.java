/**
 * Compaction: {@code CompactionPicker} decides which tables to merge, as a pure function of their
 * metadata, and {@code Compactor} merges them.
 */
package dev.quorate.storage.compaction;
