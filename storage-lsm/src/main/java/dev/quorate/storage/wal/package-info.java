/**
 * The write-ahead log: what was acknowledged and is not yet in a sorted table.
 *
 * <p>{@link dev.quorate.storage.wal.GroupCommit} queues writes and makes them durable many at a
 * time through {@link dev.quorate.storage.wal.WriteAheadLog}; {@link
 * dev.quorate.storage.wal.SegmentSupply} keeps a preallocated segment ready; {@link
 * dev.quorate.storage.wal.LogRecovery} reads it all back. The bytes are drawn in {@code
 * docs/formats/wal.md}. Allowed imports: the JDK, the public face, {@code storage.format}, {@code
 * storage.io}.
 */
@NullMarked
package dev.quorate.storage.wal;

import org.jspecify.annotations.NullMarked;
