/** The file of a sorted table: layout, verified reads, and writes. */
package dev.quorate.storage.sstable.file;
