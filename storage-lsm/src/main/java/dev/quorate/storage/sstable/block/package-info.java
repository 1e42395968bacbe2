/** Data blocks: prefix-compressed entries in ascending order of keys. */
package dev.quorate.storage.sstable.block;
