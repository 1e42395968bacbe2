/**
 * The file of a sorted table: how its bytes are laid out, read and written.
 *
 * <p>Allowed imports: {@code io}, {@code format}, and the values of {@code storage}.
 */
@NullMarked
package dev.quorate.storage.sstable.file;

import org.jspecify.annotations.NullMarked;
