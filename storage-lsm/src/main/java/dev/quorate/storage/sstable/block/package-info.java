/**
 * Data blocks: prefix-compressed entries in ascending order of keys.
 *
 * <p>Allowed imports: {@code sstable.file}, {@code format}, and the values of {@code storage}.
 */
@NullMarked
package dev.quorate.storage.sstable.block;

import org.jspecify.annotations.NullMarked;
