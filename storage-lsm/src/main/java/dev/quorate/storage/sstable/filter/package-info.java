/**
 * The Bloom filter of a table, which excludes most absent keys.
 *
 * <p>Allowed imports: {@code sstable.file}, {@code format}, and the values of {@code storage}.
 */
@NullMarked
package dev.quorate.storage.sstable.filter;

import org.jspecify.annotations.NullMarked;
