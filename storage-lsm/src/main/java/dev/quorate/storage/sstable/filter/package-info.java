/** The Bloom filter of a table, which excludes most absent keys. */
@NullMarked
package dev.quorate.storage.sstable.filter;

import org.jspecify.annotations.NullMarked;
