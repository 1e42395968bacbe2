package dev.quorate.storage.sstable.file;

import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Appends to a table's file through a buffer, and seals each section with a checksum. Bytes belong
 * to the open section until {@link #seal} or {@link #sealBlock}.
 */
public final class TableOutput {

    // A channel copies heap bytes through a cached native buffer of the same size, so large values
    // are written in steps of this buffer too.

    /**
     * The file is forced to disk in pieces. An fsync of a whole table would make the logs' fsyncs
     * on the same disk wait for all its bytes: at 10,000 writes a second during a load, the 99th
     * percentile was twice as long.
     */
    private static final int FORCED_BYTES = 1 << 20;

    private final WritableFile file;
    private final long tableNumber;
    private final ByteBuffer buffer = ByteBuffer.allocate(64 << 10);
    private final CRC32C checksum = new CRC32C();
    private long flushed;
    private long forced;
    private long sectionOffset;

    public TableOutput(WritableFile file, long tableNumber) {
        this.file = file;
        this.tableNumber = tableNumber;
    }

    /** The offset of the next byte. */
    public long offset() {
        return flushed + buffer.position();
    }

    public void write(byte[] bytes) throws IOException {
        write(bytes, 0, bytes.length);
    }

    public void write(byte[] bytes, int from, int length) throws IOException {
        checksum.update(bytes, from, length);
        append(bytes, from, length);
    }

    private void append(byte[] bytes, int from, int length) throws IOException {
        int done = 0;
        while (done < length) {
            if (!buffer.hasRemaining()) {
                flush();
            }
            int step = Math.min(buffer.remaining(), length - done);
            buffer.put(bytes, from + done, step);
            done += step;
        }
    }

    /** Ends a block with its kind and its checksum; returns its size. */
    public int sealBlock(byte kind) throws IOException {
        write(new byte[] {kind});
        return seal();
    }

    /** Ends a section with its checksum; returns its size. */
    public int seal() throws IOException {
        int sealed = TableFormat.seal((int) checksum.getValue(), tableNumber, sectionOffset);
        append(ByteBuffer.allocate(TableFormat.CHECKSUM_BYTES).putInt(sealed).array(), 0, 4);
        checksum.reset();
        int length = Math.toIntExact(offset() - sectionOffset);
        sectionOffset = offset();
        return length;
    }

    public void flush() throws IOException {
        buffer.flip();
        int length = buffer.remaining();
        file.write(buffer, flushed);
        flushed += length;
        buffer.clear();
        if (flushed - forced >= FORCED_BYTES) {
            force();
        }
    }

    /** Makes all flushed bytes durable. */
    public void force() throws IOException {
        file.force();
        forced = flushed;
    }
}
