/** Memtables: the writes in memory that are not yet flushed to a sorted table. */
@NullMarked
package dev.quorate.storage.memtable;

import org.jspecify.annotations.NullMarked;
