package dev.quorate.cli.backup;

import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.client.Progress;
import dev.quorate.cli.local.Node;
import dev.quorate.router.runtime.Pace;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.io.FileDigest;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Copies the files of a node's checkpoint durably into a directory. A table that an earlier backup
 * has with the same bytes becomes a hard link. An interrupted download is resumed.
 */
record NodeCopy(
        StorageFiles files, Node node, String checkpoint, int timeoutMillis, Throttle throttle) {

    /** Maximum number of consecutive attempts with less than the minimum progress. */
    private static final int MAX_ATTEMPTS = 5;

    private static final int MIN_PROGRESS_BYTES = 1 << 20;

    /** A download may take this many times as long as other answers; then it is resumed. */
    private static final int PATIENCE = 6;

    /**
     * A file of a checkpoint, as described by its node.
     *
     * @param path relative to the checkpoint
     * @param sha256 hexadecimal digits
     */
    record FileSum(String path, long bytes, String sha256) {

        private static final Pattern LINE =
                Pattern.compile(
                        "([0-9a-f]{64}) ([0-9]{1,18})"
                                + " ([A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)?)");

        /**
         * Parses a line of {@code /admin/checkpoint/files}.
         *
         * @throws IOException if it is invalid
         */
        static FileSum parse(String line) throws IOException {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new IOException("its list has a line that is not a file of a checkpoint");
            }
            return new FileSum(
                    matcher.group(3), Long.parseLong(matcher.group(2)), matcher.group(1));
        }
    }

    /**
     * Copies all files.
     *
     * @param to a directory that does not exist
     * @param earlier directories of the same node, which may contain some of the tables
     */
    List<FileSum> run(Path to, List<Path> earlier) throws IOException, CommandFailure {
        List<FileSum> listed = list();
        throttle.progress.expect(listed.stream().mapToLong(FileSum::bytes).sum());
        Set<Path> directories = new HashSet<>();
        files.createPrivateDirectory(to);
        directories.add(to);
        for (FileSum each : listed) {
            Path file = to.resolve(each.path());
            Path parent = file.getParent();
            if (parent != null && directories.add(parent)) {
                files.createPrivateDirectory(parent);
            }
            if (isLinked(each, earlier, file)) {
                throttle.progress.add(0, each.bytes());
            } else {
                download(each, file);
            }
        }
        for (Path directory : directories) {
            files.syncDirectory(directory);
        }
        return listed;
    }

    private List<FileSum> list() throws CommandFailure {
        String problem = "";
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            try {
                Node.Answer answer =
                        node.ask(
                                "GET", "/admin/checkpoint/files?name=" + checkpoint, timeoutMillis);
                if (answer.status() == 200) {
                    return parsed(answer.text());
                }
                problem = node.url() + " answers " + answer.problem();
            } catch (IOException e) {
                problem = node.url() + " breaks off: " + Node.reason(e) + ".";
            }
            throttle.rest();
        }
        throw CommandFailure.unavailable(problem);
    }

    private static List<FileSum> parsed(String page) throws IOException {
        List<FileSum> sums = new ArrayList<>();
        Set<String> paths = new HashSet<>();
        for (String line : page.lines().toList()) {
            FileSum sum = FileSum.parse(line);
            if (!paths.add(sum.path())) {
                throw new IOException("it lists a file twice");
            }
            sums.add(sum);
        }
        return sums;
    }

    /** Links a table to an earlier one with the same bytes, if the file system can. */
    private boolean isLinked(FileSum wanted, List<Path> earlier, Path file) throws IOException {
        if (!wanted.path().endsWith(".sst")) {
            return false; // only tables never change
        }
        for (Path directory : earlier) {
            Path candidate = directory.resolve(wanted.path());
            // A symbolic link may lead out of the backup, where the file may change.
            Path parent = candidate.getParent();
            boolean isLink =
                    Files.isSymbolicLink(directory)
                            || Files.isSymbolicLink(candidate)
                            || (parent != null && Files.isSymbolicLink(parent));
            if (!isLink && files.exists(candidate) && isSame(candidate, wanted)) {
                try {
                    files.link(candidate, file);
                    return true;
                } catch (IOException | UnsupportedOperationException e) {
                    return false; // the file system has no hard links
                }
            }
        }
        return false;
    }

    private boolean isSame(Path file, FileSum wanted) throws IOException {
        try (MappedFile mapped = files.map(file)) {
            return mapped.bytes().byteSize() == wanted.bytes()
                    && FileDigest.of(mapped).equals(wanted.sha256());
        }
    }

    private void download(FileSum wanted, Path file) throws IOException, CommandFailure {
        String problem = "";
        try (WritableFile out = files.create(file)) {
            Arriving arriving = new Arriving(out, wanted);
            int attempts = 0;
            while (arriving.at < wanted.bytes() && attempts < MAX_ATTEMPTS) {
                long before = arriving.at;
                try {
                    Node.Answer answer =
                            node.download(
                                    target(wanted, before), PATIENCE * timeoutMillis, arriving);
                    problem =
                            answer.status() == 200
                                    ? node.url() + " sends less than " + wanted.path() + " has."
                                    : node.url() + " answers " + answer.problem();
                } catch (IOException e) {
                    if (arriving.unwritten != null) {
                        throw arriving.unwritten;
                    }
                    problem = node.url() + " breaks off: " + Node.reason(e) + ".";
                }
                // Do not wait forever for a node that sends very slowly.
                attempts = arriving.at - before >= MIN_PROGRESS_BYTES ? 0 : attempts + 1;
                if (arriving.at == before) {
                    throttle.rest();
                }
            }
            if (arriving.at < wanted.bytes()) {
                throw CommandFailure.unavailable(problem);
            }
            out.force();
        }
        if (!isSame(file, wanted)) {
            throw CommandFailure.unavailable(
                    wanted.path() + " of " + node.url() + " has arrived with other bytes.");
        }
    }

    private String target(FileSum wanted, long at) {
        return "/admin/checkpoint/file?name=%s&path=%s%s"
                .formatted(checkpoint, wanted.path(), at == 0 ? "" : "&offset=" + at);
    }

    private final class Arriving implements Node.Sink {

        private final WritableFile out;
        private final FileSum wanted;

        /** The length of the file so far, in bytes. */
        private long at;

        /** A failure to write the file, in contrast to a failure of the node. */
        private @Nullable IOException unwritten;

        Arriving(WritableFile out, FileSum wanted) {
            this.out = out;
            this.wanted = wanted;
        }

        @Override
        public void take(byte[] piece) throws IOException {
            if (at + piece.length > wanted.bytes()) {
                throw new IOException("it sends more than the file has");
            }
            try {
                out.write(ByteBuffer.wrap(piece), at);
            } catch (IOException e) {
                unwritten = e;
                throw e;
            }
            at += piece.length;
            throttle.passed(piece.length);
        }
    }

    /** Limits the rate of downloads, and reports progress. */
    static final class Throttle {

        /** A node may disconnect a reader that does not read for a second. */
        private static final long LONGEST_NANOS = 300_000_000;

        private final Ticker ticker;
        private final LongConsumer sleepNanos;
        private final Pace pace;
        private final Progress progress;
        private long bytes;

        /**
         * @param bytesPerSecond the limit; 0 for none
         */
        Throttle(Ticker ticker, LongConsumer sleepNanos, long bytesPerSecond, Progress progress) {
            this.ticker = ticker;
            this.sleepNanos = sleepNanos;
            this.pace = new Pace(bytesPerSecond, ticker.nanos());
            this.progress = progress;
        }

        /** Waits until {@code count} more bytes are allowed. */
        void passed(int count) {
            bytes += count;
            progress.add(0, count);
            pace.spend(count, ticker.nanos());
            long left = pace.waitNanos(ticker.nanos());
            while (left > 0) {
                sleepNanos.accept(Math.min(left, LONGEST_NANOS));
                long now = pace.waitNanos(ticker.nanos());
                if (now >= left) {
                    return; // The wait was interrupted.
                }
                left = now;
            }
        }

        void rest() {
            sleepNanos.accept(1_000_000_000);
        }

        long bytes() {
            return bytes;
        }
    }
}
