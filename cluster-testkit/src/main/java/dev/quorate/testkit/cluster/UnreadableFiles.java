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
 * Files that are mapped, and cannot be read. Mapped memory is read without a call that could fail,
 * so the files are really cut off under their mappings: reading what is not there gets the signal
 * that a page gets which the disk does not deliver. Their bytes are kept aside.
 */
final class UnreadableFiles {

    /** The channel keeps the file, if it has another name or none when it becomes readable. */
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

    /** They can be read again, also through mappings of before. */
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
