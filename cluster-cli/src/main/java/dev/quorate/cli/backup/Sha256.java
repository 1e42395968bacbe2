package dev.quorate.cli.backup;

import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of files, in hexadecimal digits. */
final class Sha256 {

    private static final int PIECE_BYTES = 1 << 20;

    private Sha256() {}

    /** Of a file that is there. */
    static String of(StorageFiles files, Path file) throws IOException {
        try (MappedFile mapped = files.map(file)) {
            MemorySegment bytes = mapped.bytes();
            MessageDigest digest = digest();
            for (long at = 0; at < bytes.byteSize(); at += PIECE_BYTES) {
                long length = Math.min(PIECE_BYTES, bytes.byteSize() - at);
                digest.update(bytes.asSlice(at, length).asByteBuffer());
            }
            return HexFormat.of().formatHex(digest.digest());
        }
    }

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }
}
