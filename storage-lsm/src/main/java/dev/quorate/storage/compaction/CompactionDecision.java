package dev.quorate.storage.compaction;

import dev.quorate.storage.sstable.TableMetadata;
import java.util.List;

/** The decision of a {@link CompactionPicker}: merge {@code inputs} into {@code outputLevel}. */
public record CompactionDecision(List<TableMetadata> inputs, int outputLevel) {

    public CompactionDecision {
        inputs = List.copyOf(inputs);
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("nothing to compact");
        }
        if (outputLevel < 1 || outputLevel > TableMetadata.MAX_LEVEL) {
            throw new IllegalArgumentException("outputLevel out of range: " + outputLevel);
        }
    }
}
