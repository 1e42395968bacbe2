package dev.quorate.node.clock;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.Crc32c;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file with one number, a moment of some clock, which is replaced as a whole.
 *
 * <pre>
 * 24 bytes, big-endian:
 *   0  magic     u32   identifies the number
 *   4  format    u32   1
 *   8  number    u64
 *  16  reserved  u32   0
 *  20  checksum  u32   CRC-32C of the bytes before
 * </pre>
 */
public record MomentFile(StorageFiles files, Path file, int magic) {

    private static final int FORMAT = 1;
    private static final int BYTES = 24;
    private static final int CHECKSUM_OFFSET = 20;

    /**
     * The number; 0 without a file.
     *
     * @throws CorruptionException if the file is damaged
     * @throws IOException if the disk fails
     */
    public long read() throws IOException {
        if (!files.exists(file)) {
            return 0;
        }
        try (MappedFile mapped = files.map(file)) {
            if (mapped.bytes().byteSize() != BYTES) {
                throw corrupt(0, BYTES, mapped.bytes().byteSize());
            }
            ByteBuffer bytes = mapped.bytes().asByteBuffer();
            int checksum = Crc32c.of(bytes, 0, CHECKSUM_OFFSET);
            if (bytes.getInt(CHECKSUM_OFFSET) != checksum) {
                throw corrupt(CHECKSUM_OFFSET, checksum, bytes.getInt(CHECKSUM_OFFSET));
            }
            if (bytes.getInt(0) != magic) {
                throw corrupt(0, magic, bytes.getInt(0));
            }
            if (bytes.getInt(4) != FORMAT) {
                throw new StorageException.Io(
                        "%s has format %d, this program reads %d"
                                .formatted(file, bytes.getInt(4), FORMAT),
                        null);
            }
            return bytes.getLong(8);
        }
    }

    /** Replaces the number, durably. */
    public void write(long number) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.putInt(magic).putInt(FORMAT).putLong(number).putInt(0);
        bytes.putInt(Crc32c.of(bytes, 0, CHECKSUM_OFFSET));
        files.replace(file, bytes.flip());
    }

    private CorruptionException corrupt(long offset, long expected, long got) {
        return new CorruptionException(
                file.toString(), offset, "expected " + expected + ", got " + got);
    }
}
