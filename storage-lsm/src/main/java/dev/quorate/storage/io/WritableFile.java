package dev.quorate.storage.io;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file open for writing at positions. Used by one thread at a time. */
public interface WritableFile extends AutoCloseable {

    /** Writes all that remains in {@code bytes} at {@code offset}, growing the file if needed. */
    void write(ByteBuffer bytes, long offset) throws IOException;

    /**
     * As {@link #write}, durably if the disk can do that in one step. The file must already extend
     * over the bytes. Zeros may overwrite the rest of the last block.
     *
     * @return whether the bytes are durable; otherwise they are after {@link #force}
     */
    default boolean writeDurably(ByteBuffer bytes, long offset) throws IOException {
        write(bytes, offset);
        return false;
    }

    /** Makes all previous writes durable. After a failure the state of any of them is unknown. */
    void force() throws IOException;

    long size() throws IOException;

    void truncate(long size) throws IOException;

    @Override
    void close() throws IOException;
}
