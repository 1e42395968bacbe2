package dev.quorate.cli.client;

import dev.quorate.cli.client.ImportItem.Sending;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Writes the entries of an export, or of a backup, in batches that may be sent again. */
public final class ImportRun {

    /** Which versions the entries get. */
    public enum Versions {
        /**
         * Their own, so that each supersedes nothing newer. One that replicas do not take any more
         * is written only if its key has no value.
         */
        OWN,
        /**
         * All the same: that which the first of them gets when it is stored. So they supersede what
         * was deleted before, and nothing that is written later, however often they are sent. If
         * that becomes too old, another one is taken.
         */
        ONE
    }

    /** Entries, one after the other. */
    @FunctionalInterface
    public interface Entries {

        /** The next one; null at the end. */
        @Nullable EntryLine next() throws IOException;
    }

    /**
     * What became of the entries.
     *
     * @param stored stored, or superseded by what is newer
     * @param kept whose keys had a value, which stays
     * @param expired which had expired
     * @param others whose version another write has, which stays
     * @param isComplete whether the file has its last line
     */
    public record Result(long stored, long kept, long expired, long others, boolean isComplete) {}

    private static final int MAX_LINES = 512;
    private static final int MAX_BATCH_BYTES = 2 << 20;
    private static final int MAX_ROUNDS = 15;
    private static final int SERVER_ERROR = 500;

    private final List<Node> nodes;
    private final ImportSender sender;
    private final Versions versions;
    private final Progress progress;
    private final LongSupplier wallMillis;
    private final BooleanSupplier pause;

    /** The node that is asked first. */
    private int first;

    /** Of {@link Versions#ONE}; null before it is known. */
    private @Nullable String one;

    /** Replicas do not take this version and older ones; null as far as is known. */
    private @Nullable String tooOld;

    private List<ImportItem> waiting = new ArrayList<>();
    private int waitingBytes;
    private boolean isFile;
    private long stored;
    private long kept;
    private long expired;
    private long others;

    /**
     * Through these nodes.
     *
     * @param versions which the entries get
     * @param wallMillis milliseconds since 1970
     * @param pause waits before the nodes are asked again; returns whether they are to be
     */
    public ImportRun(
            List<Node> nodes,
            ImportSender sender,
            Versions versions,
            Progress progress,
            LongSupplier wallMillis,
            BooleanSupplier pause) {
        this.nodes = List.copyOf(nodes);
        this.sender = sender;
        this.versions = versions;
        this.progress = progress;
        this.wallMillis = wallMillis;
        this.pause = pause;
    }

    /**
     * Writes all entries behind the first {@code skipped} lines.
     *
     * @throws CommandFailure if an entry is refused, if no node takes it, or a line is none
     */
    Result run(InputStream in, long skipped) throws IOException, CommandFailure {
        isFile = true;
        LineReader lines = new LineReader(in, EntryLine.MAX_BYTES);
        boolean isComplete = false;
        for (long line = 1; lines.next(); line++) {
            if (line <= skipped) {
                continue;
            }
            if (isComplete) {
                throw malformed(line, "it is behind the last line of the export");
            }
            isComplete = take(lines, line);
        }
        flush();
        return new Result(stored, kept, expired, others, isComplete);
    }

    /**
     * Writes all entries.
     *
     * @throws IOException if they cannot be read
     * @throws CommandFailure if an entry is refused, or no node takes it
     */
    public Result run(Entries entries) throws IOException, CommandFailure {
        long line = 1;
        for (EntryLine entry = entries.next(); entry != null; entry = entries.next()) {
            take(ImportItem.of(entry, line));
            line++;
        }
        flush();
        return new Result(stored, kept, expired, others, true);
    }

    /** Takes a line; whether it is the last one of a whole export. */
    private boolean take(LineReader lines, long line) throws IOException, CommandFailure {
        ImportItem item;
        try {
            EntryLine entry = EntryLine.parse(lines.bytes(), lines.from(), lines.to());
            if (entry.isLast()) {
                if (entry.entries() != line - 1) {
                    throw malformed(line, "the export had " + entry.entries() + " entries");
                }
                return true;
            }
            item = ImportItem.of(entry, line);
            item.value(); // It is base64, or nothing of it is sent.
        } catch (IOException e) {
            throw malformed(line, EntityClient.reason(e));
        }
        take(item);
        return false;
    }

    private void take(ImportItem item) throws CommandFailure {
        if (item.isExpired(wallMillis.getAsLong())) {
            expired++;
            return;
        }
        switch (versions) {
            case OWN -> {
                String version = item.entry().version();
                boolean isKnownAsOld = tooOld != null && version.compareTo(tooOld) <= 0;
                add(isKnownAsOld ? item.sent(Sending.IF_ABSENT) : item);
            }
            case ONE -> {
                if (one == null) {
                    add(item.sent(Sending.UNCONDITIONAL));
                    flush();
                } else {
                    EntryLine dated = item.entry().with(one);
                    add(new ImportItem(dated, item.line(), Sending.VERSIONED));
                }
            }
        }
    }

    private CommandFailure malformed(long line, String why) throws IOException, CommandFailure {
        flush();
        return new CommandFailure(
                ExitCode.USAGE, "Line " + line + " is not imported: " + why + "." + goOn(line));
    }

    private String unit() {
        return isFile ? "Line " : "Entry ";
    }

    /** How to go on where entries come from a file; a backup is restored again, with --merge. */
    private String goOn(long line) {
        return !isFile
                ? " The entries before it are; --merge goes on with the others."
                : " The entries before it are; --skip " + (line - 1) + " goes on with this line.";
    }

    private void add(ImportItem item) throws CommandFailure {
        boolean isFull =
                waiting.size() == MAX_LINES
                        || waitingBytes + item.bytes() > MAX_BATCH_BYTES
                        || item.isLarge();
        if (isFull) {
            flush();
        }
        waiting.add(item);
        waitingBytes += item.bytes();
        if (item.isLarge()) {
            flush();
        }
    }

    private void flush() throws CommandFailure {
        List<ImportItem> items = waiting;
        waiting = new ArrayList<>();
        waitingBytes = 0;
        int rounds = 0;
        List<String> problems = new ArrayList<>();
        while (!items.isEmpty()) {
            Node node = nodes.get(first);
            List<ImportItem> left = deliver(node, items, problems);
            if (left.size() < items.size() || isChanged(left, items)) {
                rounds = 0;
                problems.clear();
            } else {
                first = (first + 1) % nodes.size();
                rounds++;
            }
            boolean isRound = rounds > 0 && rounds % nodes.size() == 0;
            if (isRound && (rounds >= MAX_ROUNDS * nodes.size() || !pause.getAsBoolean())) {
                throw new CommandFailure(
                        ExitCode.UNAVAILABLE,
                        String.join(
                                        System.lineSeparator(),
                                        problems.subList(
                                                Math.max(0, problems.size() - nodes.size()),
                                                problems.size()))
                                + System.lineSeparator()
                                + unit()
                                + left.getFirst().line()
                                + " is not known to be stored."
                                + goOn(left.getFirst().line()));
            }
            items = left;
        }
    }

    /** Whether some are sent without their version from now on. */
    private static boolean isChanged(List<ImportItem> left, List<ImportItem> items) {
        return left.stream().filter(ImportItem::isVersioned).count()
                < items.stream().filter(ImportItem::isVersioned).count();
    }

    /** Sends the entries to a node; returns those that have to be sent again. */
    private List<ImportItem> deliver(Node node, List<ImportItem> items, List<String> problems)
            throws CommandFailure {
        List<ImportSender.Reply> replies;
        try {
            replies = sender.send(node, items);
        } catch (IOException e) {
            problems.add(node.url() + " did not answer: " + EntityClient.reason(e) + ".");
            return items;
        }
        List<ImportItem> left = new ArrayList<>();
        for (int i = 0; i < replies.size(); i++) {
            ImportItem again = answered(node, items.get(i), replies.get(i), problems);
            if (again != null) {
                left.add(again);
            } else {
                progress.add(1, items.get(i).entry().value().length);
            }
        }
        return left;
    }

    /** What is to be sent again; null if the entry is done. */
    private @Nullable ImportItem answered(
            Node node, ImportItem item, ImportSender.Reply reply, List<String> problems)
            throws CommandFailure {
        switch (reply.status()) {
            case 201 -> {
                stored++;
                one = item.sending() == Sending.UNCONDITIONAL ? reply.version() : one;
            }
            case 412 -> kept++;
            case 409 -> {
                if (item.isVersioned() && reply.text().contains("too old")) {
                    return withoutVersion(item);
                }
                if (!reply.text().contains("Another write has this version")) {
                    throw refused(item, reply);
                }
                others++;
            }
            default -> {
                if (reply.status() < SERVER_ERROR) {
                    throw refused(item, reply);
                }
                problems.add(node.url() + " answers " + reply.text());
                return item;
            }
        }
        return null;
    }

    /** An entry whose version is too old. */
    private ImportItem withoutVersion(ImportItem item) {
        if (versions == Versions.ONE) {
            one = null;
            return item.sent(Sending.UNCONDITIONAL);
        }
        String version = item.entry().version();
        tooOld = tooOld == null || tooOld.compareTo(version) < 0 ? version : tooOld;
        return item.sent(Sending.IF_ABSENT);
    }

    private CommandFailure refused(ImportItem item, ImportSender.Reply reply) {
        return new CommandFailure(
                ExitCode.REFUSED,
                unit() + item.line() + " is refused: " + reply.text().strip() + goOn(item.line()));
    }
}
