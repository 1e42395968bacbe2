/**
 * Merging sorted tables into fewer. {@code CompactionPicker} decides, as a pure function of the
 * tables there are, and {@code Compactor} acts.
 *
 * <p>Allowed imports: the JDK, {@code storage}, {@code storage.format}, {@code storage.io}, {@code
 * storage.cursor}, {@code storage.sstable}.
 */
@NullMarked
package dev.quorate.storage.compaction;

import org.jspecify.annotations.NullMarked;
