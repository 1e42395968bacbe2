/**
 * The index of a table, which finds the data block of a key.
 *
 * <p>Allowed imports: {@code sstable.file}, {@code format}, and the values of {@code storage}.
 */
@NullMarked
package dev.quorate.storage.sstable.index;

import org.jspecify.annotations.NullMarked;
