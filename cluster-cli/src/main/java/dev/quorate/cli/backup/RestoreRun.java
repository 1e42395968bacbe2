package dev.quorate.cli.backup;

import dev.quorate.cli.client.Answer;
import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.client.EntityClient;
import dev.quorate.cli.client.EntryLine;
import dev.quorate.cli.client.ExitCode;
import dev.quorate.cli.client.ImportRun;
import dev.quorate.cli.client.Node;
import dev.quorate.cli.client.NodeConnection;
import dev.quorate.node.http.Percent;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.inspect.StoppedEntries;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the entries of a backup into a running cluster, of any number of members. */
final class RestoreRun {

    private final StorageFiles files;
    private final BackupFolder folder;

    RestoreRun(StorageFiles files, BackupFolder folder) {
        this.files = files;
        this.folder = folder;
    }

    /**
     * What is restored: the keys from start on, before the end.
     *
     * @param end null for the last key
     */
    record Range(byte[] start, byte @Nullable [] end) {

        /** As parameters of a URL. */
        private String query() {
            return "start="
                    + Percent.encode(start)
                    + (end == null ? "" : "&end=" + Percent.encode(end));
        }
    }

    /**
     * Fails if the cluster has an entry in a range.
     *
     * @throws CommandFailure also if no node says so
     */
    static void requireEmpty(List<Node> nodes, Range range, int timeoutMillis)
            throws CommandFailure {
        List<String> problems = new ArrayList<>();
        for (Node node : nodes) {
            try (NodeConnection connection = NodeConnection.open(node, timeoutMillis)) {
                Answer answer =
                        connection.send(
                                "GET",
                                "/v0/entities?keys=only&limit=1&" + range.query(),
                                List.of("Accept: application/x-ndjson"),
                                new byte[0]);
                if (answer.status() == 200) {
                    if (answer.body().read() >= 0) {
                        throw new CommandFailure(
                                ExitCode.REFUSED,
                                "There are entries in the cluster already. --merge adds those of"
                                        + " the backup, also after a restore that has ended early;"
                                        + " nothing was written.");
                    }
                    return;
                }
                problems.add(node.url() + " answers " + answer.problem());
            } catch (IOException e) {
                problems.add(node.url() + " cannot be asked: " + EntityClient.reason(e) + ".");
            }
        }
        throw new CommandFailure(
                ExitCode.UNAVAILABLE, String.join(System.lineSeparator(), problems));
    }

    /**
     * Verifies the backup, and writes its entries.
     *
     * @throws dev.quorate.storage.StorageException if the backup is damaged
     */
    ImportRun.Result run(Backup backup, Range range, ImportRun into)
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

    private static @Nullable EntryLine nextValue(EntryCursor entries) {
        while (entries.next()) {
            Entry entry = entries.entry();
            if (!entry.isTombstone()) {
                return EntryLine.of(entry);
            }
        }
        return null;
    }
}
