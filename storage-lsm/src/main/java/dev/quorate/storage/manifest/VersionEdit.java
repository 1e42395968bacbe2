package dev.quorate.storage.manifest;

import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.sstable.TableMetadata;
import java.io.DataInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A change from one version to the next.
 *
 * @param added tables to add
 * @param removed numbers of tables to remove
 * @param oldestSegment the oldest log segment with entries that are not in tables; recovery replays
 *     the log from there
 * @param nextFileNumber larger than the number of every existing file
 * @param newest a timestamp without a step, at or after that of every entry ever in the tables and
 *     not made before any
 */
public record VersionEdit(
        List<TableMetadata> added,
        List<Long> removed,
        long oldestSegment,
        long nextFileNumber,
        Timestamp newest) {

    public VersionEdit {
        added = List.copyOf(added);
        removed = List.copyOf(removed);
    }

    void writeTo(FieldWriter out) {
        out.u64(oldestSegment).u64(nextFileNumber).u64(newest.hybrid()).u32(newest.node());
        out.u32(removed.size());
        removed.forEach(out::u64);
        out.u32(added.size());
        added.forEach(table -> table.writeTo(out));
    }

    /** Reads the output of {@link #writeTo}; throws an IOException on anything else. */
    static VersionEdit readFrom(DataInput in) throws IOException {
        long oldestSegment = in.readLong();
        long nextFileNumber = in.readLong();
        long hybrid = in.readLong();
        Timestamp newest = new Timestamp(hybrid, in.readInt());
        // Lists are not presized by the untrusted counts: they grow with the bytes that are read.
        List<Long> removed = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            removed.add(in.readLong());
        }
        List<TableMetadata> added = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            added.add(TableMetadata.readFrom(in));
        }
        return new VersionEdit(added, removed, oldestSegment, nextFileNumber, newest);
    }
}
