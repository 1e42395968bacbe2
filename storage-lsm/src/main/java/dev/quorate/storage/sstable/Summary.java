package dev.quorate.storage.sstable;

import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.sstable.file.TableFile;
import dev.quorate.storage.sstable.file.TableFormat;
import dev.quorate.storage.sstable.file.TableOutput;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;

/**
 * The summary of a table, before the footer of its file.
 *
 * @param metadata the table's metadata, at the level at which it was written
 * @param mostlyExpiredAtMillis see {@link SSTable#mostlyExpiredAtMillis}
 */
record Summary(TableMetadata metadata, long mostlyExpiredAtMillis) {

    static Summary read(TableFile file, Footer footer) {
        long offset = footer.summaryOffset();
        long length = file.size() - TableFormat.FOOTER_BYTES - offset;
        if (length <= TableFormat.TRAILER_BYTES || length > TableFormat.MAX_SUMMARY_BYTES) {
            throw file.corrupt(offset, "a summary of " + length + " bytes");
        }
        byte[] block = new byte[(int) length];
        file.read(offset, block.length, block);
        int end = block.length - TableFormat.TRAILER_BYTES;
        boolean expires = block[end] == TableFormat.KIND_SUMMARY_WITH_EXPIRY;
        if (!expires && block[end] != TableFormat.KIND_SUMMARY) {
            throw file.corrupt(offset, "no summary where it should be");
        }
        ByteArrayInputStream bytes = new ByteArrayInputStream(block, 0, end);
        DataInputStream in = new DataInputStream(bytes);
        Summary summary;
        try {
            summary =
                    new Summary(
                            TableMetadata.readFrom(in),
                            expires ? in.readLong() : EntryTotals.NEVER);
        } catch (IOException malformed) {
            throw file.corrupt(offset, String.valueOf(malformed.getMessage()));
        }
        if (bytes.available() > 0) {
            throw file.corrupt(offset, bytes.available() + " bytes after the summary");
        }
        return summary;
    }

    /** Reads the summary, which must match {@code expected} except for the level. */
    static Summary read(TableFile file, Footer footer, TableMetadata expected) {
        Summary found = read(file, footer);
        if (!found.metadata.atLevel(expected.level()).equals(expected)) {
            throw file.corrupt(
                    footer.summaryOffset(), "found " + found.metadata + ", expected " + expected);
        }
        return found;
    }

    private void writeTo(FieldWriter out) {
        metadata.writeTo(out);
        if (mostlyExpiredAtMillis != EntryTotals.NEVER) {
            out.u64(mostlyExpiredAtMillis);
        }
    }

    /** The encoded size, without the trailer. */
    int encodedSize() {
        return FieldWriter.sizeOf(this::writeTo);
    }

    void writeTo(TableOutput out) throws IOException {
        out.write(FieldWriter.bytesOf(this::writeTo));
        out.sealBlock(
                mostlyExpiredAtMillis == EntryTotals.NEVER
                        ? TableFormat.KIND_SUMMARY
                        : TableFormat.KIND_SUMMARY_WITH_EXPIRY);
    }
}
