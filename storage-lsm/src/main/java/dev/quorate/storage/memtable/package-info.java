/** Memtables: the writes in memory that are not yet flushed to a sorted table. */
package dev.quorate.storage.memtable;
