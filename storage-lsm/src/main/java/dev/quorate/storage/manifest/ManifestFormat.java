package dev.quorate.storage.manifest;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.FileNames;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * The bytes of a manifest. Numbers are big-endian.
 *
 * <pre>
 * manifest: header (32 bytes) | record | record | ...
 *
 * header:   0  magic     u64   "QRTEMAN\n"
 *           8  version   u32   2
 *          12  manifest  u64   the manifest's number, as in its name
 *          20  mark      u64   drawn at random when the manifest was made
 *          28  checksum  u32   CRC-32C of bytes 0 to 27
 *
 * record:   0  checksum  u32   CRC-32C of all that follows, salted with the record's file offset
 *           4  length    u32   of the payload
 *           8  mark      u64   the manifest's
 *          16  sequence  u32   counts the records of the manifest, from 1
 *          20  payload         a {@link VersionEdit}; in record 1, the one that leads from nothing
 * </pre>
 *
 * <p>Each record is forced before the next is written, so a crash tears only the last one: an
 * intact record after a bad one proves damage. Records contain keys, which clients choose; as in
 * the log, no key can contain the random mark. Version 1 had no mark but the manifest's number in
 * its place, and a header of 24 bytes.
 */
final class ManifestFormat {

    static final int HEADER_BYTES = 32;
    static final int RECORD_BYTES = 20;
    static final int VERSION = 2;

    private static final long MAGIC = 0x515254454D414E0AL;
    private static final int MARK_OFFSET = 20;
    private static final int CHECKED_HEADER_BYTES = 28;

    private static final int UNMARKED_VERSION = 1;
    private static final int CHECKED_UNMARKED_HEADER_BYTES = 20;

    private ManifestFormat() {}

    /** A parsed header: the mark of the records, and the offset of the first one. */
    private record Opened(long mark, int headerBytes) {}

    static ByteBuffer header(long manifest, long mark) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        header.putLong(MAGIC).putInt(VERSION).putLong(manifest).putLong(mark);
        header.putInt(Crc32c.of(header, 0, CHECKED_HEADER_BYTES));
        return header.flip();
    }

    /**
     * Encodes a record.
     *
     * @param offset its offset in the file
     */
    static ByteBuffer record(long offset, long mark, int sequence, VersionEdit edit) {
        byte[] payload = FieldWriter.bytesOf(edit::writeTo);
        ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES + payload.length);
        record.putInt(0).putInt(payload.length).putLong(mark).putInt(sequence).put(payload);
        int checksum = Crc32c.of(record, Integer.BYTES, record.position());
        record.putInt(0, Crc32c.salted(checksum, offset));
        return record.flip();
    }

    record Contents(StoreVersion version, long tornBytes) {}

    /**
     * Reads a whole manifest.
     *
     * @throws CorruptionException if anything but its last record is damaged
     */
    static Contents read(ByteBuffer file, long manifest) {
        return read(file, manifest, edit -> {});
    }

    /** As above, and passes each edit to {@code edits}. */
    static Contents read(ByteBuffer file, long manifest, Consumer<VersionEdit> edits) {
        String name = FileNames.manifest(manifest);
        Opened opened = open(file, name, manifest);
        long mark = opened.mark();
        StoreVersion version = StoreVersion.EMPTY;
        int at = opened.headerBytes();
        int sequence = 1;
        while (isWhole(file, at, mark) && sequenceAt(file, at) == sequence) {
            version = applied(version, file, at, name, edits);
            at += RECORD_BYTES + lengthAt(file, at);
            sequence++;
        }
        if (sequence == 1) {
            throw new CorruptionException(name, at, "no whole first record");
        }
        for (int later = at + 1; later + RECORD_BYTES <= file.limit(); later++) {
            if (sequenceAt(file, later) > sequence && isWhole(file, later, mark)) {
                throw new CorruptionException(
                        name,
                        at,
                        "no whole record %d, though record %d follows at offset %d"
                                .formatted(sequence, sequenceAt(file, later), later));
            }
        }
        return new Contents(version, file.limit() - at);
    }

    private static Opened open(ByteBuffer file, String name, long manifest) {
        int version = file.limit() < HEADER_BYTES ? 0 : file.getInt(8);
        int checkedBytes =
                version == UNMARKED_VERSION ? CHECKED_UNMARKED_HEADER_BYTES : CHECKED_HEADER_BYTES;
        if (file.limit() < HEADER_BYTES
                || file.getLong(0) != MAGIC
                || file.getInt(checkedBytes) != Crc32c.of(file, 0, checkedBytes)) {
            throw new CorruptionException(name, 0, "not the header of a manifest");
        }
        if (version != VERSION && version != UNMARKED_VERSION) {
            throw new StorageException.Io(
                    "%s has manifest format %d, this program reads %d and %d"
                            .formatted(name, version, UNMARKED_VERSION, VERSION),
                    null);
        }
        if (file.getLong(12) != manifest) {
            throw new CorruptionException(
                    name, 12, "manifest " + manifest + " expected, found " + file.getLong(12));
        }
        long mark = version == UNMARKED_VERSION ? manifest : file.getLong(MARK_OFFSET);
        return new Opened(mark, checkedBytes + Integer.BYTES);
    }

    private static int lengthAt(ByteBuffer file, int at) {
        return file.getInt(at + 4);
    }

    private static int sequenceAt(ByteBuffer file, int at) {
        return file.getInt(at + 16);
    }

    private static boolean isWhole(ByteBuffer file, int at, long mark) {
        if (at + RECORD_BYTES > file.limit() || file.getLong(at + 8) != mark) {
            return false;
        }
        int length = lengthAt(file, at);
        if (length < 0 || length > file.limit() - at - RECORD_BYTES) {
            return false;
        }
        int checksum = Crc32c.of(file, at + Integer.BYTES, at + RECORD_BYTES + length);
        return file.getInt(at) == Crc32c.salted(checksum, at);
    }

    private static StoreVersion applied(
            StoreVersion version,
            ByteBuffer file,
            int at,
            String name,
            Consumer<VersionEdit> edits) {
        byte[] payload = new byte[lengthAt(file, at)];
        file.get(at + RECORD_BYTES, payload);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(payload))) {
            VersionEdit edit = VersionEdit.readFrom(in);
            if (in.available() > 0) {
                throw new IOException(in.available() + " bytes after the edit");
            }
            edits.accept(edit);
            return version.apply(edit);
        } catch (IOException | IllegalArgumentException e) {
            throw new CorruptionException(name, at, String.valueOf(e.getMessage()));
        }
    }

    /** The contents of {@link FileNames#CURRENT}: the manifest's name and its checksum, as text. */
    static ByteBuffer current(long manifest) {
        String name = FileNames.manifest(manifest);
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        String line = name + " %08x\n".formatted(Crc32c.of(bytes, 0, bytes.length));
        return ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
    }

    /** The contents of CURRENT in an unfinished directory. */
    static ByteBuffer unfinished() {
        return ByteBuffer.wrap("unfinished\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** Parses the manifest's number from the output of {@link #current}. */
    static long readCurrent(ByteBuffer file) {
        byte[] bytes = new byte[file.remaining()];
        file.get(bytes);
        String line = new String(bytes, StandardCharsets.US_ASCII);
        int space = line.indexOf(' ');
        FileNames.Name name = FileNames.parse(space < 0 ? line : line.substring(0, space));
        boolean known = name.kind() == FileNames.Kind.MANIFEST;
        if (!known || !current(name.number()).equals(ByteBuffer.wrap(bytes))) {
            throw new CorruptionException(
                    FileNames.CURRENT, 0, "it does not name a manifest as it was written");
        }
        return name.number();
    }
}
