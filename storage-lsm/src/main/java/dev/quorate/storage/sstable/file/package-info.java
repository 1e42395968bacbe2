/**
 * The file of a sorted table: layout, verified reads, and writes.
 *
 * <p>Allowed imports: {@code io}, {@code format}, and the values of {@code storage}.
 */
@NullMarked
package dev.quorate.storage.sstable.file;

import org.jspecify.annotations.NullMarked;
