package dev.quorate.storage.wal;

import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.WriteCompletion;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Log segments for tests. */
final class Segments {

    static final Path DIRECTORY = Path.of("/log");

    private static final WriteCompletion NOBODY =
            new WriteCompletion() {
                @Override
                public void stored(Timestamp newest) {}

                @Override
                public void failed(StorageException cause) {}
            };

    private Segments() {}

    static Path path(long number) {
        return DIRECTORY.resolve(FileNames.log(number));
    }

    static WriteAheadLog start(StorageFiles files, long number, long bytes) throws IOException {
        WriteAheadLog log = new WriteAheadLog(bytes);
        log.start(LogSegment.create(files, DIRECTORY, number, bytes));
        return log;
    }

    /** Writes a group and forces it. */
    static void appendGroup(WriteAheadLog log, List<Entry> entries) throws IOException {
        append(log, entries, true);
        log.force();
    }

    static void append(WriteAheadLog log, List<Entry> entries, boolean endsGroup)
            throws IOException {
        List<PendingWrite> writes = new ArrayList<>();
        int bytes = 0;
        for (Entry entry : entries) {
            int recordBytes = WriteAheadLog.recordBytes(entry);
            writes.add(new PendingWrite(entry, NOBODY, recordBytes));
            bytes += recordBytes;
        }
        log.append(writes, bytes, endsGroup);
    }

    static List<Entry> randomGroup(SplittableRandom random) {
        List<Entry> group = new ArrayList<>();
        int size = 1 + random.nextInt(4);
        for (int i = 0; i < size; i++) {
            group.add(randomEntry(random, random.nextInt(150)));
        }
        return group;
    }

    static Entry randomEntry(SplittableRandom random, int valueBytes) {
        byte[] key = new byte[1 + random.nextInt(20)];
        random.nextBytes(key);
        Timestamp root = new Timestamp(random.nextLong(), random.nextInt());
        Timestamp timestamp =
                random.nextInt(4) == 0 && root.hybrid() != -1 ? root.withStep(-1) : root;
        if (random.nextInt(5) == 0) {
            return Entry.tombstone(key, timestamp, 3);
        }
        byte[] value = new byte[valueBytes];
        random.nextBytes(value);
        return Entry.value(key, timestamp, value, 3);
    }

    /** The entries that recovery replays from segment {@code oldest} on. */
    static List<Entry> recover(StorageFiles files, long oldest) throws IOException {
        LogRecovery recovery = recovery(files, oldest);
        List<Entry> entries = new ArrayList<>();
        while (recovery.hasNext()) {
            recovery.readNext(entries::add);
        }
        return entries;
    }

    static LogRecovery recovery(StorageFiles files, long oldest) throws IOException {
        List<Long> segments = new ArrayList<>();
        for (String name : files.list(DIRECTORY)) {
            FileNames.Name parsed = FileNames.parse(name);
            if (parsed.kind() == FileNames.Kind.LOG) {
                segments.add(parsed.number());
            }
        }
        return new LogRecovery(files, DIRECTORY, segments, oldest);
    }
}
