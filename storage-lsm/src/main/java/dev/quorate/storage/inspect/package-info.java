/**
 * Looks at the files of a store that is not open: checks them all, or prints one of them for a
 * person. Reads only.
 *
 * <p>Allowed imports: the JDK, {@code storage}, {@code storage.format}, {@code storage.io}, {@code
 * storage.manifest}, {@code storage.sstable}, {@code storage.wal}.
 */
@NullMarked
package dev.quorate.storage.inspect;

import org.jspecify.annotations.NullMarked;
