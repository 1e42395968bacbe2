package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.WriteCompletion;

/**
 * A write on its way.
 *
 * @param recordBytes what it takes in the log; what it counts in the queue
 */
public record PendingWrite(Entry entry, WriteCompletion completion, int recordBytes) {}
