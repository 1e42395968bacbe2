package dev.quorate.storage.manifest;

import dev.quorate.storage.Timestamp;
import dev.quorate.storage.sstable.TableMetadata;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One step from a version to the next.
 *
 * @param added tables that join
 * @param removed numbers of tables that leave
 * @param oldestSegment the oldest log segment whose entries are not all in tables; the log is read
 *     from there
 * @param nextFileNumber a number above that of every file so far
 * @param newest a timestamp not before any that the tables have ever held
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

    void writeTo(DataOutput out) throws IOException {
        out.writeLong(oldestSegment);
        out.writeLong(nextFileNumber);
        out.writeLong(newest.hybrid());
        out.writeInt(newest.node());
        out.writeInt(removed.size());
        for (long number : removed) {
            out.writeLong(number);
        }
        out.writeInt(added.size());
        for (TableMetadata table : added) {
            table.writeTo(out);
        }
    }

    /** Reads what {@link #writeTo} wrote; fails with an IOException on anything else. */
    static VersionEdit readFrom(DataInput in) throws IOException {
        long oldestSegment = in.readLong();
        long nextFileNumber = in.readLong();
        long hybrid = in.readLong();
        Timestamp newest = new Timestamp(hybrid, in.readInt());
        // Counts are not trusted with an allocation: the lists grow as far as there are bytes.
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
