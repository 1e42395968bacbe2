package dev.quorate.storage.io;

import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of files, in hexadecimal digits, as the program {@code sha256sum} prints it. */
public final class FileDigest {

    private static final int PIECE_BYTES = 1 << 20;

    private FileDigest() {}

    /** The digest of a whole file. */
    public static String of(MappedFile file) {
        MemorySegment bytes = file.bytes();
        MessageDigest digest = sha256();
        for (long at = 0; at < bytes.byteSize(); at += PIECE_BYTES) {
            long length = Math.min(PIECE_BYTES, bytes.byteSize() - at);
            digest.update(bytes.asSlice(at, length).asByteBuffer());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }
}
