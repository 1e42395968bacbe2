package dev.quorate.cli.client;

import dev.quorate.cli.client.ImportItem.Sending;
import dev.quorate.node.runtime.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the entries of an export, or of a backup, in batches that may be sent again, several at
 * once. Their order does not matter, as each entry has its version.
 */
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

    /**
     * Where entries are written, and how.
     *
     * @param nodes each gets about as many batches
     * @param timeoutMillis without a byte of an answer
     * @param query {@code &replicas=…} as part of a URL, or empty
     */
    public record Target(List<Node> nodes, Ticker ticker, int timeoutMillis, String query) {
        public Target {
            nodes = List.copyOf(nodes);
        }

        private ImportSender sender() {
            return new ImportSender(ticker, timeoutMillis, query);
        }
    }

    private final Target target;
    private final ImportTally tally;
    private final BooleanSupplier pause;
    private List<ImportItem> waiting = new ArrayList<>();
    private int waitingBytes;
    private boolean isFile;

    /**
     * Into a cluster.
     *
     * @param versions which the entries get
     * @param pause waits before the nodes are asked again; returns whether they are to be. Called
     *     by several threads
     */
    public ImportRun(Target target, Versions versions, Progress progress, BooleanSupplier pause) {
        this.target = target;
        this.tally = new ImportTally(versions, progress);
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
        return over(
                lanes -> {
                    boolean isComplete = false;
                    for (long line = 1; !lanes.hasFailed() && lines.next(); line++) {
                        if (line <= skipped) {
                            continue;
                        }
                        if (isComplete) {
                            throw malformed(
                                    lanes, line, "it is behind the last line of the export");
                        }
                        isComplete = take(lanes, lines, line);
                    }
                    return isComplete;
                });
    }

    /**
     * Writes all entries.
     *
     * @throws IOException if they cannot be read
     * @throws CommandFailure if an entry is refused, or no node takes it
     */
    public Result run(Entries entries) throws IOException, CommandFailure {
        return over(
                lanes -> {
                    long line = 1;
                    EntryLine entry = entries.next();
                    while (entry != null && !lanes.hasFailed()) {
                        take(lanes, ImportItem.of(entry, line));
                        line++;
                        entry = entries.next();
                    }
                    return true;
                });
    }

    /** Reads entries and gives them to lanes; whether the last line was there. */
    private interface Reading {
        boolean read(ImportLanes lanes) throws IOException, CommandFailure, InterruptedException;
    }

    private Result over(Reading reading) throws IOException, CommandFailure {
        try (ImportLanes lanes =
                new ImportLanes(
                        target.nodes().size(),
                        pause,
                        (first, pauseOrEnd) ->
                                new ImportLane(
                                        target.nodes(),
                                        first,
                                        target.sender(),
                                        tally,
                                        pauseOrEnd))) {
            boolean isComplete = reading.read(lanes);
            flush(lanes);
            awaitAll(lanes);
            return tally.result(isComplete);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCode.UNAVAILABLE, "It was interrupted.");
        }
    }

    /** Takes a line; whether it is the last one of a whole export. */
    private boolean take(ImportLanes lanes, LineReader lines, long line)
            throws IOException, CommandFailure, InterruptedException {
        ImportItem item;
        try {
            EntryLine entry = EntryLine.parse(lines.bytes(), lines.from(), lines.to());
            if (entry.isLast()) {
                if (entry.entries() != line - 1) {
                    throw malformed(lanes, line, "the export had " + entry.entries() + " entries");
                }
                return true;
            }
            item = ImportItem.of(entry, line);
            item.value(); // It is base64, or nothing of it is sent.
        } catch (IOException e) {
            throw malformed(lanes, line, EntityClient.reason(e));
        }
        take(lanes, item);
        return false;
    }

    private void take(ImportLanes lanes, ImportItem item)
            throws CommandFailure, InterruptedException {
        if (item.isExpired(target.ticker().wallMillis())) {
            tally.expired();
            return;
        }
        ImportItem sent = tally.toSend(item);
        if (sent == null) {
            flush(lanes);
            awaitAll(lanes);
            sent = tally.toSend(item);
        }
        if (sent != null) {
            add(lanes, sent);
            return;
        }
        // Its version is that of all others.
        add(lanes, item.sent(Sending.UNCONDITIONAL));
        flush(lanes);
        awaitAll(lanes);
    }

    private CommandFailure malformed(ImportLanes lanes, long line, String why)
            throws CommandFailure, InterruptedException {
        flush(lanes);
        awaitAll(lanes);
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

    private void add(ImportLanes lanes, ImportItem item) throws InterruptedException {
        boolean isFull =
                waiting.size() == MAX_LINES
                        || waitingBytes + item.bytes() > MAX_BATCH_BYTES
                        || item.isLarge();
        if (isFull) {
            flush(lanes);
        }
        waiting.add(item);
        waitingBytes += item.bytes();
        if (item.isLarge()) {
            flush(lanes);
        }
    }

    private void flush(ImportLanes lanes) throws InterruptedException {
        if (!waiting.isEmpty()) {
            List<ImportItem> items = waiting;
            waiting = new ArrayList<>();
            waitingBytes = 0;
            lanes.deliver(items);
        }
    }

    /** Waits until everything that was given to the lanes is done. */
    private void awaitAll(ImportLanes lanes) throws CommandFailure, InterruptedException {
        ImportLane.Failure failure = lanes.await();
        if (failure == null) {
            return;
        }
        String line = unit() + failure.line();
        if (failure.isRefused()) {
            throw new CommandFailure(
                    ExitCode.REFUSED,
                    line + " is refused: " + failure.problem().strip() + goOn(failure.line()));
        }
        throw new CommandFailure(
                ExitCode.UNAVAILABLE,
                failure.problem()
                        + System.lineSeparator()
                        + line
                        + " is not known to be stored."
                        + goOn(failure.line()));
    }
}
