package dev.quorate.testcontainers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.commons.compress.archivers.ArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.testcontainers.images.builder.Transferable;

/**
 * A file in a container that only the node can read. Nodes refuse keys and tokens that other users
 * can read, and files that Testcontainers copies belong to root.
 */
record NodeFile(String text) implements Transferable {

    /** The user and group of the image. */
    private static final int NODE = 10_001;

    private static final int MODE = 0100600;

    @Override
    public byte[] getBytes() {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public long getSize() {
        return getBytes().length;
    }

    @Override
    public int getFileMode() {
        return MODE;
    }

    @Override
    public void transferTo(TarArchiveOutputStream tar, String destination) {
        TarArchiveEntry entry = new TarArchiveEntry(destination);
        entry.setSize(getSize());
        entry.setMode(MODE);
        entry.setIds(NODE, NODE);
        // Commons Compress 1.24, of Testcontainers 1.21, has this method only in the superclass.
        ArchiveOutputStream<TarArchiveEntry> archive = tar;
        try {
            archive.putArchiveEntry(entry);
            archive.write(getBytes());
            archive.closeArchiveEntry();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without the text, which may be secret. */
    @Override
    public String toString() {
        return "a file of a node";
    }
}
