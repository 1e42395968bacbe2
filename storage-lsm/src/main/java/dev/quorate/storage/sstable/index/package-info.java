/** The index of a table, which finds the data block of a key. */
package dev.quorate.storage.sstable.index;
