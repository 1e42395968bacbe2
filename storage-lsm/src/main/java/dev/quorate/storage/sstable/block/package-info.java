/** Data blocks: prefix-compressed entries in ascending order of keys. */
@NullMarked
package dev.quorate.storage.sstable.block;

import org.jspecify.annotations.NullMarked;
