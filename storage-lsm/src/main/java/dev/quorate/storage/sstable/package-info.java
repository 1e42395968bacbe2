/**
 * Sorted tables: immutable files of entries in key order. {@code TableWriter} writes one, {@code
 * SSTable} reads one, and no other package depends on the format, which is described in {@code
 * docs/formats/sstable.md}.
 */
package dev.quorate.storage.sstable;
