/** The index of a table, which finds the data block of a key. */
@NullMarked
package dev.quorate.storage.sstable.index;

import org.jspecify.annotations.NullMarked;
