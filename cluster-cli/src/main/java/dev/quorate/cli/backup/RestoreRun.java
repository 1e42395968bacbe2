package dev.quorate.cli.backup;

import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.client.ExitCode;
import dev.quorate.cli.client.ImportRun;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.Range;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.Version;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.inspect.StoppedEntries;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the entries of a backup into a running cluster, of any number of members. */
record RestoreRun(StorageFiles files, BackupFolder folder) {

    /**
     * The range of restored keys.
     *
     * @param end exclusive; null for no end
     */
    record Keys(byte[] start, byte @Nullable [] end) {

        private Range keys() {
            Key first = Key.of(start);
            return end == null ? Range.from(first) : Range.between(first, Key.of(end));
        }
    }

    /**
     * @throws CommandFailure if the cluster has an entry in the range
     */
    static void requireEmpty(QuorateClient client, Keys range, ReadOptions options)
            throws CommandFailure {
        if (client.entries(range.keys().keysOnly().options(options).pageEntries(1))
                .findFirst()
                .isPresent()) {
            throw new CommandFailure(
                    ExitCode.REFUSED,
                    "The cluster contains entries, so nothing was written. --merge adds those of the"
                            + " backup, also after an interrupted restore.");
        }
    }

    /**
     * Verifies the backup, and writes its entries.
     *
     * @throws dev.quorate.storage.StorageException if the backup is damaged
     */
    ImportRun.Result run(Backup backup, Keys range, ImportRun into)
            throws IOException, CommandFailure {
        var _ =
                folder.verify(
                        backup,
                        problem -> {
                            throw problem;
                        });
        List<Path> stores = new ArrayList<>();
        for (String node : backup.nodes()) {
            stores.add(folder.directory(backup.name()).resolve(node).resolve("store"));
        }
        try (StoppedEntries stopped = StoppedEntries.open(files, stores);
                EntryCursor entries = stopped.scan(range.start(), range.end())) {
            return into.run(() -> nextValue(entries));
        }
    }

    private static @Nullable Entry nextValue(EntryCursor entries) {
        while (entries.next()) {
            dev.quorate.storage.Entry entry = entries.entry();
            if (!entry.isTombstone()) {
                boolean expires = entry.expiresAtMillis() != dev.quorate.storage.Entry.NEVER;
                return new Entry(
                        Key.of(entry.key()),
                        entry.value(),
                        new Version(entry.timestamp().toString()),
                        entry.contentType(),
                        expires ? Instant.ofEpochMilli(entry.expiresAtMillis()) : null);
            }
        }
        return null;
    }
}
