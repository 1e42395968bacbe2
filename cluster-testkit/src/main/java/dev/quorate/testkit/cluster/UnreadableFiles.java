package dev.quorate.testkit.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Mapped files that cannot be read. Mapped memory is read without a call that could fail, so the
 * files are really truncated under their mappings: a read past the end raises the same signal as a
 * page that the disk does not deliver. Their bytes are saved elsewhere.
 */
final class UnreadableFiles {

    /** The channel identifies the file even if it is renamed or deleted meanwhile. */
    private record Cut(FileChannel file, Path bytes) {}

    private final Path directory;
    private final List<Cut> cuts = new ArrayList<>();
    private int made;

    /**
     * @param directory an empty one, for the bytes
     */
    UnreadableFiles(Path directory) {
        this.directory = directory;
    }

    boolean isEmpty() {
        return cuts.isEmpty();
    }

    void add(Path file) throws IOException {
        Path aside = directory.resolve("unreadable-" + made++);
        Files.copy(file, aside, StandardCopyOption.REPLACE_EXISTING);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        cuts.add(new Cut(channel, aside));
        channel.truncate(0);
    }

    /** Makes the files readable again, also through earlier mappings. */
    void restore() throws IOException {
        for (Cut cut : cuts) {
            try (FileChannel file = cut.file();
                    FileChannel bytes = FileChannel.open(cut.bytes(), StandardOpenOption.READ)) {
                long size = bytes.size();
                long done = 0;
                while (done < size) {
                    done += bytes.transferTo(done, size - done, file);
                }
            }
            Files.delete(cut.bytes());
        }
        cuts.clear();
    }
}
