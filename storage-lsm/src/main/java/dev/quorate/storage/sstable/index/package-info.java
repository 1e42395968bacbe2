/**
 * The index of a table: which block holds a key.
 *
 * <p>Allowed imports: {@code sstable.file}, {@code format}, and the values of {@code storage}.
 */
@NullMarked
package dev.quorate.storage.sstable.index;

import org.jspecify.annotations.NullMarked;
