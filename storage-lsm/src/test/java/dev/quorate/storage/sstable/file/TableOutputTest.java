package dev.quorate.storage.sstable.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.io.WritableFile;
import dev.quorate.storage.simulated.FaultyDisk;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TableOutputTest {

    /** An fsync of a whole table would make those of the log wait for all its bytes. */
    @Test
    void aLargeFileIsForcedInPieces() throws IOException {
        FaultyDisk disk = new FaultyDisk();
        disk.createDirectories(Path.of("/store"));
        try (WritableFile file = disk.create(Path.of("/store/table"))) {
            TableOutput out = new TableOutput(file, 1);
            long before = disk.forces();
            long forced = before;
            byte[] bytes = new byte[10_000];
            while (out.offset() < 5 << 20) {
                long unforced = out.offset();
                out.write(bytes);
                forced = disk.forces();
                assertThat(unforced).isLessThan((forced - before + 1) * ((1 << 20) + (64 << 10)));
            }
            assertThat(forced - before).isBetween(4L, 5L);
            out.flush();
            out.force();
            assertThat(disk.forces()).isEqualTo(forced + 1);
        }
    }
}
