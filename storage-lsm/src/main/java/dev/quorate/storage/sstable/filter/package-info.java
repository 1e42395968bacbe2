/** The Bloom filter of a table, which excludes most absent keys. */
package dev.quorate.storage.sstable.filter;
