package dev.quorate.cli.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the entries of an export. Each goes with its own version, so that it may be sent again,
 * and supersedes nothing newer. An entry whose version replicas do not take any more is written
 * only if its key has no value.
 */
final class ImportRun {

    /**
     * What became of the entries.
     *
     * @param stored stored, or superseded by what is newer
     * @param kept whose keys had a value, which stays
     * @param expired which had expired
     * @param others whose version another write has, which stays
     * @param isComplete whether the file has its last line
     */
    record Result(long stored, long kept, long expired, long others, boolean isComplete) {}

    private static final int MAX_LINES = 512;
    private static final int MAX_BATCH_BYTES = 2 << 20;
    private static final int MAX_ROUNDS = 15;
    private static final int SERVER_ERROR = 500;

    private final List<Node> nodes;
    private final ImportSender sender;
    private final Progress progress;
    private final LongSupplier wallMillis;
    private final BooleanSupplier pause;

    /** The node that is asked first. */
    private int first;

    /** Replicas do not take this version and older ones; null as far as is known. */
    private @Nullable String tooOld;

    private List<ImportItem> waiting = new ArrayList<>();
    private int waitingBytes;
    private long stored;
    private long kept;
    private long expired;
    private long others;

    /**
     * Through these nodes.
     *
     * @param wallMillis milliseconds since 1970
     * @param pause waits before the nodes are asked again; returns whether they are to be
     */
    ImportRun(
            List<Node> nodes,
            ImportSender sender,
            Progress progress,
            LongSupplier wallMillis,
            BooleanSupplier pause) {
        this.nodes = List.copyOf(nodes);
        this.sender = sender;
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
        if (item.isExpired(wallMillis.getAsLong())) {
            expired++;
            return false;
        }
        boolean isKnownAsOld = tooOld != null && item.entry().version().compareTo(tooOld) <= 0;
        add(isKnownAsOld ? item.withoutVersion() : item);
        return false;
    }

    private CommandFailure malformed(long line, String why) throws IOException, CommandFailure {
        flush();
        return new CommandFailure(
                ExitCode.USAGE, "Line " + line + " is not imported: " + why + "." + goOn(line));
    }

    private static String goOn(long line) {
        return " The entries before it are; --skip " + (line - 1) + " goes on with this line.";
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
                                + "Line "
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
            case 201 -> stored++;
            case 412 -> kept++;
            case 409 -> {
                if (item.isVersioned() && reply.text().contains("too old")) {
                    String version = item.entry().version();
                    tooOld = tooOld == null || tooOld.compareTo(version) < 0 ? version : tooOld;
                    return item.withoutVersion();
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

    private static CommandFailure refused(ImportItem item, ImportSender.Reply reply) {
        return new CommandFailure(
                ExitCode.REFUSED,
                "Line " + item.line() + " is refused: " + reply.text().strip() + goOn(item.line()));
    }
}
