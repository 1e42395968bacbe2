package dev.quorate.storage.sstable.file;

import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Appends to a table's file through a buffer, and seals each piece of it with a checksum. Bytes
 * belong to the open piece until {@link #seal} or {@link #sealBlock} closes it.
 */
public final class TableOutput {

    // A channel copies what it writes from the heap into a native buffer of the same size, which it
    // keeps: large values go through here in steps too.
    private static final int BUFFER_BYTES = 64 << 10;

    private final WritableFile file;
    private final long tableNumber;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private final CRC32C checksum = new CRC32C();
    private long flushed;
    private long pieceOffset;

    public TableOutput(WritableFile file, long tableNumber) {
        this.file = file;
        this.tableNumber = tableNumber;
    }

    /** Where the next byte goes. */
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

    /** Ends a block: its kind, then its checksum. Returns the bytes of the whole block. */
    public int sealBlock(byte kind) throws IOException {
        write(new byte[] {kind});
        return seal();
    }

    /** Ends a piece with its checksum. Returns the bytes of the whole piece. */
    public int seal() throws IOException {
        int sealed = TableFormat.seal((int) checksum.getValue(), tableNumber, pieceOffset);
        append(ByteBuffer.allocate(TableFormat.CHECKSUM_BYTES).putInt(sealed).array(), 0, 4);
        checksum.reset();
        int length = Math.toIntExact(offset() - pieceOffset);
        pieceOffset = offset();
        return length;
    }

    public void flush() throws IOException {
        buffer.flip();
        int length = buffer.remaining();
        file.write(buffer, flushed);
        flushed += length;
        buffer.clear();
    }
}
