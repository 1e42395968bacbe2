/**
 * The write-ahead log: the durable writes that are not yet in a sorted table.
 *
 * <p>{@link dev.quorate.storage.wal.GroupCommit} queues writes and makes them durable in groups
 * through {@link dev.quorate.storage.wal.WriteAheadLog}; {@link
 * dev.quorate.storage.wal.SegmentSupply} preallocates segments; {@link
 * dev.quorate.storage.wal.LogRecovery} replays the log. The layout is drawn in {@code
 * docs/formats/wal.md}.
 */
package dev.quorate.storage.wal;
