package dev.quorate.storage.compaction;

import dev.quorate.storage.sstable.TableMetadata;
import java.util.List;

/** Decides which tables to merge next. */
public final class CompactionPicker {

    /** The most urgent compaction among all tables of a store, or nothing. */
    public CompactionDecision pick(List<TableMetadata> tables) {
        return CompactionDecision.Nothing.NOTHING;
    }
}
