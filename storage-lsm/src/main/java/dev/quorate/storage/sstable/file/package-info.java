/** The file of a sorted table: layout, verified reads, and writes. */
@NullMarked
package dev.quorate.storage.sstable.file;

import org.jspecify.annotations.NullMarked;
