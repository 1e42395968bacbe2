package dev.quorate.storage.compaction;

import dev.quorate.storage.sstable.TableMetadata;
import java.util.List;

/** The decision of a {@link CompactionPicker}. */
public sealed interface CompactionDecision {

    /** No table needs compaction. */
    enum Nothing implements CompactionDecision {
        NOTHING
    }

    /** Merge {@code inputs} into new tables of {@code outputLevel}. */
    record Compact(List<TableMetadata> inputs, int outputLevel) implements CompactionDecision {
        public Compact {
            inputs = List.copyOf(inputs);
            if (inputs.isEmpty()) {
                throw new IllegalArgumentException("nothing to compact");
            }
            if (outputLevel < 1 || outputLevel > TableMetadata.MAX_LEVEL) {
                throw new IllegalArgumentException("outputLevel out of range: " + outputLevel);
            }
        }
    }
}
