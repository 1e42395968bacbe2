package dev.quorate.storage.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file past the page cache ({@code O_DIRECT}), durably ({@code O_DSYNC}): one system call,
 * and one request of a disk that can write through its cache. Used by one thread at a time.
 *
 * <p>The disk takes whole blocks. So a write begins with the bytes before it in its first block,
 * which are unchanged, and ends with zeros, which overwrite the rest of its last block.
 */
final class DirectWrites implements AutoCloseable {

    /** Null if the platform has none, or leaves synchronous writes in the disk's cache. */
    private static final @Nullable OpenOption DIRECT =
            System.getProperty("os.name").equals("Linux") ? direct() : null;

    private static final long MAX_BLOCK_BYTES = 64 << 10;
    private static final int FIRST_BYTES = 64 << 10;

    private final Path file;
    private final int block;
    private final Set<OpenOption> options;

    /** Replaced when an interrupt has closed it. */
    private FileChannel channel;

    /** Begins with the {@code tail} bytes of the file before the next write, from {@code start}. */
    private ByteBuffer buffer;

    private long start;

    /** Less than a block; -1 if unknown. */
    private int tail = -1;

    private DirectWrites(Path file, int block, OpenOption direct) throws IOException {
        this.file = file;
        this.block = block;
        this.options =
                Set.of(
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DSYNC,
                        direct);
        this.channel = openChannel();
        this.buffer = allocate(FIRST_BYTES);
    }

    private FileChannel openChannel() throws IOException {
        return FileChannel.open(file, options);
    }

    /** The option of the JDK that is not in its public API, as Lucene finds it. */
    private static @Nullable OpenOption direct() {
        try {
            for (Object each :
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (each instanceof OpenOption option && each.toString().equals("DIRECT")) {
                    return option;
                }
            }
        } catch (ClassNotFoundException e) {
            return null;
        }
        return null;
    }

    /** Opens a file of whole blocks; null if it or its file system cannot be written so. */
    static @Nullable DirectWrites open(Path file) {
        if (DIRECT == null) {
            return null;
        }
        try {
            long block = Files.getFileStore(file).getBlockSize();
            boolean isPowerOfTwo = Long.bitCount(block) == 1; // some file systems report 0
            return isPowerOfTwo && block <= MAX_BLOCK_BYTES && Files.size(file) % block == 0
                    ? new DirectWrites(file, (int) block, DIRECT)
                    : null;
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    private ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes + block).alignedSlice(block);
    }

    /** Discards the retained bytes, because the file was changed by other means. */
    void forget() {
        tail = -1;
    }

    /**
     * Writes all that remains in {@code bytes} at {@code offset}, durably. The file must extend to
     * the end of the last block.
     */
    void write(ByteBuffer bytes, long offset) throws IOException {
        if (tail < 0 || offset != start + tail) {
            readTail(offset);
        }
        int end = tail + bytes.remaining();
        int whole = end / block * block;
        int padded = (end + block - 1) / block * block;
        reserve(padded);
        buffer.limit(padded).position(tail);
        tail = -1;
        buffer.put(bytes);
        while (buffer.hasRemaining()) {
            buffer.put((byte) 0);
        }
        transfer(buffer.flip(), start, false);
        buffer.clear().put(0, buffer, whole, end - whole);
        start += whole;
        tail = end - whole;
    }

    private void readTail(long offset) throws IOException {
        tail = -1;
        start = offset / block * block;
        transfer(buffer.clear().limit(block), start, true);
        tail = (int) (offset - start);
    }

    private void reserve(int bytes) {
        if (bytes > buffer.capacity()) {
            ByteBuffer larger = allocate(Integer.highestOneBit(bytes - 1) << 1);
            buffer = larger.put(0, buffer, 0, tail);
        }
        buffer.clear();
    }

    /** Repeats what an interrupt has ended, and leaves the thread interrupted. */
    private void transfer(ByteBuffer blocks, long offset, boolean reads) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (blocks.hasRemaining()) {
                int done = blocks.position();
                try {
                    int count =
                            reads
                                    ? channel.read(blocks, offset + done)
                                    : channel.write(blocks, offset + done);
                    if (count < 0) {
                        throw new IOException(file + " ends at " + (offset + done));
                    }
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                    blocks.position(done);
                    channel = openChannel();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
