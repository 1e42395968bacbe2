package dev.quorate.cli.backup;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.inspect.StoppedEntries;
import dev.quorate.storage.io.FileDigest;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A folder of backups:
 *
 * <pre>
 * FOLDER/NAME/backup           its description; written last
 * FOLDER/NAME/SHA256SUMS       checksums of all files, in the format of sha256sum
 * FOLDER/NAME/NODE/            the checkpoint of a node: its data directory
 * FOLDER/NAME.unfinished/      a backup in progress, or an interrupted one
 * </pre>
 *
 * <p>Backups share sorted tables as hard links. Each is complete, and can be deleted separately.
 */
public record BackupFolder(StorageFiles files, Path folder) {

    static final String SUMS = "SHA256SUMS";

    static final Consumer<CorruptionException> REFUSE =
            problem -> {
                throw problem;
            };

    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,50}");
    private static final Pattern SUM =
            Pattern.compile(
                    "([0-9a-f]{64})  ((?:[A-Za-z0-9][A-Za-z0-9._-]*/){1,2}[A-Za-z0-9][A-Za-z0-9._-]*)");
    private static final String UNFINISHED = ".unfinished";
    private static final String LOCK = "LOCK";

    public BackupFolder {
        folder = folder.toAbsolutePath();
    }

    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    boolean contains(String name) throws IOException {
        return files.exists(directory(name));
    }

    Path directory(String name) {
        return folder.resolve(name);
    }

    Path unfinished(String name) {
        return folder.resolve(name + UNFINISHED);
    }

    /**
     * Creates the folder if it does not exist, and locks it.
     *
     * @throws IOException also if another command has locked it
     */
    Closeable lock() throws IOException {
        files.createDirectories(folder);
        Path lock = folder.resolve(LOCK);
        if (!files.exists(lock)) {
            files.create(lock).close();
        }
        return files.lock(lock);
    }

    /** The complete backups, the oldest first. Ignores other directories. */
    List<Backup> list() throws IOException {
        List<Backup> backups = new ArrayList<>();
        for (String name : names("")) {
            if (files.exists(directory(name).resolve(Backup.FILE))) {
                backups.add(Backup.read(files, directory(name)));
            }
        }
        backups.sort(Comparator.comparingLong(Backup::begunMillis));
        return backups;
    }

    List<String> unfinished() throws IOException {
        return names(UNFINISHED);
    }

    private List<String> names(String ending) throws IOException {
        if (!files.isDirectory(folder)) {
            return List.of();
        }
        return files.list(folder).stream()
                .filter(name -> name.endsWith(ending))
                .map(name -> name.substring(0, name.length() - ending.length()))
                .filter(BackupFolder::isName)
                .sorted()
                .toList();
    }

    /** Completes an unfinished backup durably. */
    Backup publish(
            String name,
            long begunMillis,
            SortedMap<String, NodeCopy.FileSum> sums,
            BackupRun.Members members)
            throws IOException {
        Path unfinished = unfinished(name);
        StringBuilder text = new StringBuilder();
        sums.forEach((path, sum) -> text.append(sum.sha256() + "  " + path + "\n"));
        try (WritableFile file = files.create(unfinished.resolve(SUMS))) {
            file.write(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII)), 0);
            file.force();
        }
        long bytes = sums.values().stream().mapToLong(NodeCopy.FileSum::bytes).sum();
        Backup backup =
                new Backup(
                        name,
                        members.cluster(),
                        begunMillis,
                        bytes,
                        sum(unfinished, SUMS),
                        List.copyOf(members.reached().keySet()),
                        members.missing());
        backup.write(files, unfinished);
        files.syncDirectory(unfinished);
        files.rename(unfinished, directory(name));
        files.syncDirectory(folder);
        return backup;
    }

    /** All entries of a backup: the newest of each key, from the stores of all its nodes. */
    StoppedEntries open(Backup backup) throws IOException {
        List<Path> stores = new ArrayList<>();
        for (String node : backup.nodes()) {
            stores.add(directory(backup.name()).resolve(node).resolve("store"));
        }
        return StoppedEntries.open(files, stores);
    }

    /**
     * Removes all complete backups but the newest.
     *
     * @param made the backup that was just made, which stays whatever the clock says
     * @param kept the number of backups that remain, including {@code made}
     * @return the names of the removed backups
     */
    List<String> removeOlder(Backup made, long kept) throws IOException {
        List<String> names = new ArrayList<>(list().stream().map(Backup::name).toList());
        names.remove(made.name());
        List<String> removed = names.subList(0, (int) Math.max(0, names.size() + 1 - kept));
        for (String name : removed) {
            // A directory without this suffix is complete, also if this ends here.
            files.rename(directory(name), unfinished(name));
            files.syncDirectory(folder);
            files.deleteTree(unfinished(name));
        }
        return removed;
    }

    /** Whether this is the directory of one backup, possibly incomplete. */
    public static boolean isBackup(StorageFiles files, Path directory) throws IOException {
        return files.exists(directory.resolve(Backup.FILE))
                || files.exists(directory.resolve(SUMS));
    }

    /**
     * Compares each file of a backup with its checksum.
     *
     * @param problems receives missing, changed and additional files
     * @return the number of compared files
     */
    public static int verify(
            StorageFiles files, Path directory, Consumer<CorruptionException> problems)
            throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        Backup backup = Backup.read(files, absolute);
        Path folder = Objects.requireNonNull(absolute.getParent(), "a backup is in a folder");
        return new BackupFolder(files, folder).verify(backup, problems);
    }

    int verify(Backup backup, Consumer<CorruptionException> problems) throws IOException {
        Path directory = directory(backup.name());
        if (!isIntact(directory, SUMS, backup.sums(), problems)) {
            return 0;
        }
        SortedMap<String, String> sums = sums(directory);
        for (var each : sums.entrySet()) {
            isIntact(directory, each.getKey(), each.getValue(), problems);
        }
        requireNoOthers(directory, "", sums.keySet(), problems);
        return sums.size();
    }

    /** Reports symbolic links, and files without a checksum. */
    private void requireNoOthers(
            Path directory, String prefix, Set<String> sums, Consumer<CorruptionException> problems)
            throws IOException {
        for (String name : files.list(directory)) {
            Path file = directory.resolve(name);
            boolean isOwn = prefix.isEmpty() && (name.equals(SUMS) || name.equals(Backup.FILE));
            if (Files.isSymbolicLink(file)) {
                problems.accept(new CorruptionException(file.toString(), 0, "it is a link"));
            } else if (files.isDirectory(file)) {
                requireNoOthers(file, prefix + name + "/", sums, problems);
            } else if (!isOwn && !sums.contains(prefix + name)) {
                problems.accept(
                        new CorruptionException(file.toString(), 0, "the file has no checksum"));
            }
        }
    }

    private boolean isIntact(
            Path directory, String path, String sum, Consumer<CorruptionException> problems)
            throws IOException {
        Path file = directory.resolve(path);
        String problem = null;
        if (!files.exists(file)) {
            problem = "the file is missing";
        } else if (!sum(directory, path).equals(sum)) {
            problem = "it is not the file that was copied";
        }
        if (problem != null) {
            problems.accept(new CorruptionException(file.toString(), 0, problem));
        }
        return problem == null;
    }

    private SortedMap<String, String> sums(Path directory) throws IOException {
        SortedMap<String, String> sums = new TreeMap<>();
        try (MappedFile mapped = files.map(directory.resolve(SUMS))) {
            byte[] text = mapped.bytes().toArray(ValueLayout.JAVA_BYTE);
            for (String line : new String(text, StandardCharsets.US_ASCII).split("\n", -1)) {
                Matcher sum = SUM.matcher(line);
                if (sum.matches()) {
                    sums.put(sum.group(2), sum.group(1));
                } else if (!line.isEmpty()) {
                    throw new CorruptionException(SUMS, 0, "a line is not a checksum of a file");
                }
            }
        }
        return sums;
    }

    private String sum(Path directory, String path) throws IOException {
        try (MappedFile mapped = files.map(directory.resolve(path))) {
            return FileDigest.of(mapped);
        }
    }
}
