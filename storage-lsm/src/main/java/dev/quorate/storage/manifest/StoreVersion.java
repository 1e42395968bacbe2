package dev.quorate.storage.manifest;

import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.TableMetadata;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The live tables and log segments of the store at one point in time. Immutable.
 *
 * @param tables in the order in which they were added
 * @param oldestSegment see {@link VersionEdit}; 0 before the first segment
 * @param nextFileNumber see {@link VersionEdit}
 * @param newest see {@link VersionEdit}
 */
public record StoreVersion(
        List<TableMetadata> tables, long oldestSegment, long nextFileNumber, Timestamp newest) {

    /** The version of an empty store. File number 0 is never used. */
    public static final StoreVersion EMPTY = new StoreVersion(List.of(), 0, 1, Timestamp.ZERO);

    public StoreVersion {
        tables = List.copyOf(tables);
    }

    /**
     * The version after {@code edit}. Numbers and timestamp never decrease, even if edits are
     * committed in another order than they were created.
     *
     * @throws IllegalArgumentException if the edit does not fit this version
     */
    public StoreVersion apply(VersionEdit edit) {
        Set<Long> removed = new HashSet<>(edit.removed());
        Set<Long> present = new HashSet<>();
        List<TableMetadata> result = new ArrayList<>();
        for (TableMetadata table : tables) {
            if (!removed.remove(table.number())) {
                result.add(table);
                present.add(table.number());
            }
        }
        if (!removed.isEmpty()) {
            throw new IllegalArgumentException("removes tables that are not there: " + removed);
        }
        for (TableMetadata table : edit.added()) {
            if (!present.add(table.number())) {
                throw new IllegalArgumentException("adds a table twice: " + table.number());
            }
            result.add(table);
        }
        return new StoreVersion(
                result,
                Math.max(oldestSegment, edit.oldestSegment()),
                Math.max(nextFileNumber, edit.nextFileNumber()),
                edit.newest().isAfter(newest) ? edit.newest() : newest);
    }

    VersionEdit snapshot() {
        return new VersionEdit(tables, List.of(), oldestSegment, nextFileNumber, newest);
    }
}
