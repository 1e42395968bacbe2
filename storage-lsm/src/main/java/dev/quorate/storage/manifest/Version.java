package dev.quorate.storage.manifest;

import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.TableMetadata;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which tables and log segments make up the store at one moment. Immutable.
 *
 * @param tables in the order in which they joined
 * @param oldestSegment see {@link VersionEdit}; 0 before the first
 * @param nextFileNumber see {@link VersionEdit}
 * @param newest see {@link VersionEdit}
 */
public record Version(
        List<TableMetadata> tables, long oldestSegment, long nextFileNumber, Timestamp newest) {

    /** A store that was never written to. File number 0 is never used. */
    public static final Version EMPTY = new Version(List.of(), 0, 1, Timestamp.ZERO);

    public Version {
        tables = List.copyOf(tables);
    }

    /**
     * The version after {@code edit}. Its numbers and timestamp only ever advance: an edit that was
     * made before another, and committed after it, does not take them back.
     *
     * @throws IllegalArgumentException if the edit does not fit this version
     */
    public Version apply(VersionEdit edit) {
        Set<Long> leaving = new HashSet<>(edit.removed());
        Set<Long> present = new HashSet<>();
        List<TableMetadata> result = new ArrayList<>();
        for (TableMetadata table : tables) {
            if (!leaving.remove(table.number())) {
                result.add(table);
                present.add(table.number());
            }
        }
        if (!leaving.isEmpty()) {
            throw new IllegalArgumentException("removes tables that are not there: " + leaving);
        }
        for (TableMetadata table : edit.added()) {
            if (!present.add(table.number())) {
                throw new IllegalArgumentException("adds a table twice: " + table.number());
            }
            result.add(table);
        }
        return new Version(
                result,
                Math.max(oldestSegment, edit.oldestSegment()),
                Math.max(nextFileNumber, edit.nextFileNumber()),
                edit.newest().isAfter(newest) ? edit.newest() : newest);
    }

    /** The edit that leads here from {@link #EMPTY}. */
    VersionEdit snapshot() {
        return new VersionEdit(tables, List.of(), oldestSegment, nextFileNumber, newest);
    }
}
