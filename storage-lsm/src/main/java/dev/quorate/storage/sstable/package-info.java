/**
 * Sorted tables: immutable files of entries in key order. {@code TableWriter} writes one, {@code
 * SSTable} reads one, and no other package depends on the format, which is drawn in {@code
 * docs/formats/sstable.md}.
 *
 * <p>Allowed imports: the JDK, {@code storage}, {@code storage.format}, {@code storage.io}, and LZ4
 * in the class of that name.
 */
@NullMarked
package dev.quorate.storage.sstable;

import org.jspecify.annotations.NullMarked;
