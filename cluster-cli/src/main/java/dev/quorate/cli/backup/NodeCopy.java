package dev.quorate.cli.backup;

import dev.quorate.cli.client.Answer;
import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.client.EntityClient;
import dev.quorate.cli.client.ExitCode;
import dev.quorate.cli.client.LineReader;
import dev.quorate.cli.client.Node;
import dev.quorate.cli.client.NodeConnection;
import dev.quorate.storage.io.FileDigest;
import dev.quorate.storage.io.MappedFile;
import dev.quorate.storage.io.StorageFiles;
import dev.quorate.storage.io.WritableFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Copies the files of one node's checkpoint into a directory, durably. A table of which an earlier
 * directory has the same bytes is a hard link to it. Where the node breaks off, it is asked again
 * from there on.
 */
final class NodeCopy {

    private static final byte[] NOTHING = {};
    private static final int PIECE_BYTES = 1 << 16;

    private static final int MAX_LINE_BYTES = 65_536;

    /** Far more than a node has: a store of terabytes has 100,000. */
    private static final int MAX_FILES = 1_000_000;

    /** Attempts in a row that bring nothing. */
    private static final int MAX_ATTEMPTS = 5;

    private final StorageFiles files;
    private final Node node;
    private final String checkpoint;
    private final int timeoutMillis;
    private final Throttle throttle;

    /**
     * Of a node.
     *
     * @param checkpoint its name
     */
    NodeCopy(
            StorageFiles files,
            Node node,
            String checkpoint,
            int timeoutMillis,
            Throttle throttle) {
        this.files = files;
        this.node = node;
        this.checkpoint = checkpoint;
        this.timeoutMillis = timeoutMillis;
        this.throttle = throttle;
    }

    /**
     * Copies all files.
     *
     * @param to which does not exist
     * @param earlier directories of the same node, which may have some of the tables
     * @return what was copied
     */
    List<FileSum> run(Path to, List<Path> earlier) throws IOException, CommandFailure {
        List<FileSum> listed = list();
        Set<Path> directories = new HashSet<>();
        files.createPrivateDirectory(to);
        directories.add(to);
        for (FileSum each : listed) {
            Path file = to.resolve(each.path());
            Path parent = file.getParent();
            if (parent != null && directories.add(parent)) {
                files.createPrivateDirectory(parent);
            }
            if (!isLinked(each, earlier, file)) {
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
            try (NodeConnection connection = NodeConnection.open(node, timeoutMillis)) {
                Answer answer =
                        connection.send(
                                "GET",
                                "/admin/checkpoint/files?name=" + checkpoint,
                                List.of(),
                                new byte[0]);
                if (answer.status() == 200) {
                    return parsed(answer);
                }
                problem = node.url() + " answers " + answer.problem();
            } catch (IOException e) {
                problem = node.url() + " breaks off: " + EntityClient.reason(e) + ".";
            }
            throttle.rest();
        }
        throw new CommandFailure(ExitCode.UNAVAILABLE, problem);
    }

    private static List<FileSum> parsed(Answer answer) throws IOException {
        List<FileSum> sums = new ArrayList<>();
        Set<String> paths = new HashSet<>();
        LineReader lines = new LineReader(answer.body(), MAX_LINE_BYTES);
        while (lines.next()) {
            int length = lines.to() - lines.from();
            String line =
                    new String(lines.bytes(), lines.from(), length, StandardCharsets.US_ASCII);
            FileSum sum = FileSum.parse(line);
            if (lines.isCut() || !paths.add(sum.path()) || sums.size() >= MAX_FILES) {
                throw new IOException("it lists files that are none of a checkpoint");
            }
            sums.add(sum);
        }
        return sums;
    }

    /** Links a table to one with the same bytes, if there is one and the file system can. */
    private boolean isLinked(FileSum wanted, List<Path> earlier, Path file) throws IOException {
        if (!wanted.isTable()) {
            return false;
        }
        for (Path directory : earlier) {
            Path candidate = directory.resolve(wanted.path());
            // A link may lead out of the backup, where the file may change.
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
                    return false; // Not every file system has links: it is copied.
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
            long at = 0;
            int attempts = 0;
            while (at < wanted.bytes() && attempts < MAX_ATTEMPTS) {
                long before = at;
                try (NodeConnection connection = NodeConnection.open(node, timeoutMillis)) {
                    Answer answer = connection.send("GET", target(wanted, at), List.of(), NOTHING);
                    if (answer.status() == 200) {
                        at = receive(answer.body(), out, at, wanted);
                        problem = node.url() + " sends less than " + wanted.path() + " has.";
                    } else {
                        problem = node.url() + " answers " + answer.problem();
                    }
                } catch (BrokenOff e) {
                    at = e.at;
                    problem = node.url() + " breaks off: " + EntityClient.reason(e.reason) + ".";
                } catch (WritingFailed e) {
                    throw e.reason;
                } catch (IOException e) {
                    problem = node.url() + " cannot be asked: " + EntityClient.reason(e) + ".";
                }
                attempts = at > before ? 0 : attempts + 1;
                if (at == before) {
                    throttle.rest();
                }
            }
            if (at < wanted.bytes()) {
                throw new CommandFailure(ExitCode.UNAVAILABLE, problem);
            }
            out.force();
        }
        if (!isSame(file, wanted)) {
            throw new CommandFailure(
                    ExitCode.UNAVAILABLE,
                    wanted.path() + " of " + node.url() + " has arrived with other bytes.");
        }
    }

    private String target(FileSum wanted, long at) {
        return "/admin/checkpoint/file?name="
                + checkpoint
                + "&path="
                + wanted.path()
                + (at == 0 ? "" : "&offset=" + at);
    }

    /** Writes what comes; returns where it ends. */
    private long receive(InputStream in, WritableFile out, long from, FileSum wanted)
            throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        long at = from;
        while (true) {
            int count;
            try {
                count = in.read(piece);
            } catch (IOException e) {
                throw new BrokenOff(at, e);
            }
            if (count < 0) {
                return at;
            }
            if (at + count > wanted.bytes()) {
                throw new BrokenOff(at, new IOException("it sends more than the file has"));
            }
            try {
                out.write(ByteBuffer.wrap(piece, 0, count), at);
            } catch (IOException e) {
                throw new WritingFailed(e);
            }
            at += count;
            throttle.passed(count);
        }
    }

    /** The node has sent some of it. */
    private static final class BrokenOff extends IOException {

        private static final long serialVersionUID = 1;

        private final long at;
        private final IOException reason;

        BrokenOff(long at, IOException reason) {
            super(reason);
            this.at = at;
            this.reason = reason;
        }
    }

    /** It is not the node that failed. */
    private static final class WritingFailed extends IOException {

        private static final long serialVersionUID = 1;

        private final IOException reason;

        WritingFailed(IOException reason) {
            super(reason);
            this.reason = reason;
        }
    }
}
