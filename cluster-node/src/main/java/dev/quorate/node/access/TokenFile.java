package dev.quorate.node.access;

import dev.quorate.router.runtime.Followed;
import dev.quorate.storage.io.PrivateFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The file of tokens, which {@code ./quorate token} writes and nodes read. */
public record TokenFile(Path file) implements Followed.Source<AccessTokens> {

    @Override
    public Object stamp() throws IOException {
        return named(() -> PrivateFile.stamp(file));
    }

    /**
     * Reads all tokens.
     *
     * @throws IOException if the file is missing, not private, or invalid; the message names it
     */
    @Override
    public AccessTokens read() throws IOException {
        byte[] bytes = named(() -> PrivateFile.read(file, AccessTokens.MAX_BYTES));
        try {
            return AccessTokens.parse(bytes);
        } catch (InvalidTokensException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Atomically replaces the file, with permissions 0600. */
    public void write(AccessTokens tokens) throws IOException {
        PrivateFile.replace(file, tokens.bytes());
    }

    private interface Reading<T> {
        T read() throws IOException;
    }

    private <T> T named(Reading<T> reading) throws IOException {
        try {
            return reading.read();
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        }
    }
}
