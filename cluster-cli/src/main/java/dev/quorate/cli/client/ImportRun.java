package dev.quorate.cli.client;

import dev.quorate.client.BatchOperation;
import dev.quorate.client.BatchResult;
import dev.quorate.client.Condition;
import dev.quorate.client.Entry;
import dev.quorate.client.OutcomeUnknownException;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.RefusedException;
import dev.quorate.client.Version;
import dev.quorate.client.WriteOptions;
import dev.quorate.client.WriteResult;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.storage.Timestamp;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes the entries of an export or a backup in parallel batches. Handles results in the order of
 * the lines, so that everything before the first reported failure is stored.
 */
public final class ImportRun {

    public enum Versions {
        /**
         * Their own, so that they supersede nothing newer. An entry whose version is too old for
         * replicas is written only if its key has no value.
         */
        OWN,
        /**
         * One new version, which the first entry gets when it is stored. So entries supersede
         * earlier deletions, but no later writes, even if they are sent again. If the version
         * becomes too old, another one is used.
         */
        ONE
    }

    /**
     * The numbers of entries by result.
     *
     * @param stored entries that were stored, or superseded by a newer version
     * @param kept entries whose key had a value, which was not changed
     * @param others entries whose version another write has, which was not changed
     * @param isComplete whether the file has the last line of an export
     */
    public record Result(long stored, long kept, long expired, long others, boolean isComplete) {}

    /** The version and the condition of a write. */
    private enum Terms {
        /** With the version of the entry. */
        VERSIONED,
        /** With a new version, if the key has no value. */
        IF_ABSENT,
        /** With a new version. */
        UNCONDITIONAL
    }

    /**
     * @param line the line of the file, from 1
     */
    private record Item(Entry entry, long line, Terms terms) {

        Item on(Terms others) {
            return new Item(entry, line, others);
        }

        /** Maximum bytes of the entry in a batch. */
        long bytes() {
            return (entry.key().bytes().length + entry.value().length + 6L) / 3 * 4
                    + OVERHEAD_BYTES;
        }

        boolean isLarge() {
            return bytes() > MAX_LINE_BYTES;
        }
    }

    private record Sent(List<Item> items, CompletableFuture<List<BatchResult>> results) {
        long bytes() {
            return items.stream().mapToLong(Item::bytes).sum();
        }
    }

    /** The maximum length of a line, which fits the largest value. */
    static final int MAX_READ_BYTES = 64 << 20;

    private static final int MAX_LINES = 512;
    private static final int MAX_BATCH_BYTES = 2 << 20;

    /** The longest line of a batch. */
    private static final int MAX_LINE_BYTES = 1 << 20;

    /** The maximum length of a value with a condition. */
    private static final int MAX_CONDITIONAL_BYTES = 1 << 20;

    /** Maximum bytes of a line without key and value. */
    private static final int OVERHEAD_BYTES = 1_024;

    /** Outstanding batches per node: one is stored while the next one is sent. */
    private static final int PER_NODE = 2;

    private static final int MIN_BATCHES = 4;
    private static final int MAX_BATCHES = 16;

    /** Maximum outstanding bytes, unless a single value is larger. */
    private static final long MAX_BYTES = 8 << 20;

    private static final long MILLIS_PER_SECOND = 1_000;

    /** Batches are retried for this many times {@code --timeout}. */
    private static final int PATIENCE = 3;

    /** The last line of an export. */
    static final Pattern LAST =
            Pattern.compile("\\s*\\{\\s*\"entries\"\\s*:\\s*([0-9]{1,18})\\s*}\\s*");

    private final QuorateClient client;
    private final int maxBatches;
    private final WriteOptions options;
    private final ReadOptions readOptions;
    private final Ticker ticker;
    private final Versions versions;
    private final Progress progress;
    private final ArrayDeque<Sent> underWay = new ArrayDeque<>();
    private List<Item> waiting = new ArrayList<>();
    private long waitingBytes;
    private boolean isFile;

    /** The version of {@link Versions#ONE}; null until it is known. */
    private @Nullable Version one;

    /** The newest version that is known to be too old for replicas; null if none is. */
    private @Nullable Version tooOld;

    private long stored;
    private long kept;
    private long expired;
    private long others;

    /**
     * @param client a client without a limit of rounds
     */
    public ImportRun(QuorateClient client, Invocation run, Ticker ticker, Versions versions)
            throws IOException, CommandFailure {
        Duration deadline = Duration.ofMillis((long) PATIENCE * run.timeoutMillis());
        this.client = client;
        this.maxBatches =
                Math.clamp((long) PER_NODE * run.nodes().size(), MIN_BATCHES, MAX_BATCHES);
        this.options = run.writeOptions().deadline(deadline);
        this.readOptions = run.readOptions().deadline(deadline);
        this.ticker = ticker;
        this.versions = versions;
        this.progress = Progress.onTerminal(ticker);
    }

    /**
     * Writes all entries after the first {@code skipped} lines.
     *
     * @param bytes the length of the file, for the progress; 0 if unknown
     * @throws CommandFailure if an entry is refused, no node stores it, or a line is invalid
     */
    Result run(InputStream in, long skipped, long bytes) throws IOException, CommandFailure {
        isFile = true;
        progress.expect(bytes);
        boolean isComplete = false;
        try {
            LineReader lines = new LineReader(in, MAX_READ_BYTES);
            String text = lines.next();
            for (long line = 1; text != null; line++, text = lines.next()) {
                progress.add(0, text.length() + 1);
                if (line > skipped) {
                    if (isComplete) {
                        throw malformed(line, "it follows the last line of the export");
                    }
                    isComplete = addLine(text, line);
                }
            }
            settleAll();
        } finally {
            awaitAll();
        }
        return new Result(stored, kept, expired, others, isComplete);
    }

    /**
     * Writes all entries.
     *
     * @param next returns the next entry; null at the end
     * @throws CommandFailure if an entry is refused, or no node stores it
     */
    public Result run(Supplier<@Nullable Entry> next) throws CommandFailure {
        try {
            long line = 1;
            for (Entry entry = next.get(); entry != null; entry = next.get()) {
                addLine(entry, line++);
            }
            settleAll();
        } finally {
            awaitAll();
        }
        return new Result(stored, kept, expired, others, true);
    }

    /** Adds a line. Returns whether it is the last line of a complete export. */
    private boolean addLine(String text, long line) throws CommandFailure {
        Matcher last = LAST.matcher(text);
        if (last.matches()) {
            if (Long.parseLong(last.group(1)) != line - 1) {
                throw malformed(line, "the export had " + last.group(1) + " entries");
            }
            return true;
        }
        Entry entry;
        try {
            entry = Entry.fromJson(text);
        } catch (IllegalArgumentException e) {
            throw malformed(line, "it is not a line of an export: " + e.getMessage());
        }
        addLine(entry, line);
        return false;
    }

    private void addLine(Entry entry, long line) throws CommandFailure {
        Instant expires = entry.expires();
        if (expires != null && expires.toEpochMilli() <= ticker.wallMillis()) {
            expired++;
            return;
        }
        if (versions == Versions.OWN) {
            boolean isOld = tooOld != null && entry.version().compareTo(tooOld) <= 0;
            boolean isVersioned = !isOld && mayHaveItsVersion(entry);
            add(new Item(entry, line, isVersioned ? Terms.VERSIONED : Terms.IF_ABSENT));
            return;
        }
        if (one == null) {
            settleAll();
        }
        Version common = one;
        if (common != null) {
            add(new Item(with(common, entry), line, Terms.VERSIONED));
        } else {
            add(new Item(entry, line, Terms.UNCONDITIONAL));
            settleAll();
        }
    }

    /**
     * Whether a plain write can have the version of an entry. A version with a step is that of a
     * conditional write, and an expiry must be whole seconds after the version.
     */
    private static boolean mayHaveItsVersion(Entry entry) {
        Timestamp version = Timestamp.parse(entry.version().text());
        Instant expires = entry.expires();
        long livesMillis = expires == null ? 0 : expires.toEpochMilli() - version.wallMillis();
        boolean isExact =
                expires == null || (livesMillis > 0 && livesMillis % MILLIS_PER_SECOND == 0);
        return !version.hasStep() && isExact;
    }

    private static Entry with(Version version, Entry entry) {
        return new Entry(entry.key(), entry.value(), version, entry.contentType(), entry.expires());
    }

    private void add(Item item) throws CommandFailure {
        if (waiting.size() == MAX_LINES
                || waitingBytes + item.bytes() > MAX_BATCH_BYTES
                || item.isLarge()) {
            flush();
        }
        waiting.add(item);
        waitingBytes += item.bytes();
        if (item.isLarge()) {
            flush();
        }
    }

    private void flush() throws CommandFailure {
        if (waiting.isEmpty()) {
            return;
        }
        while (!underWay.isEmpty()
                && (underWay.size() >= maxBatches
                        || waitingBytes + underWay.stream().mapToLong(Sent::bytes).sum()
                                > MAX_BYTES)) {
            settleFirst();
        }
        List<Item> items = waiting;
        waiting = new ArrayList<>();
        waitingBytes = 0;
        underWay.add(new Sent(items, send(items)));
    }

    private void settleAll() throws CommandFailure {
        flush();
        while (!underWay.isEmpty()) {
            settleFirst();
        }
    }

    private void settleFirst() throws CommandFailure {
        Sent first = underWay.getFirst();
        settle(first.items(), first.results().join());
        underWay.removeFirst();
    }

    /** Waits for outstanding batches, after a failure, and ends the progress. */
    private void awaitAll() {
        underWay.forEach(each -> each.results().exceptionally(_ -> List.of()).join());
        progress.close();
    }

    private CompletableFuture<List<BatchResult>> send(List<Item> items) {
        Item first = items.getFirst();
        return first.isLarge()
                ? sendLarge(first)
                        .handle(
                                (result, failure) ->
                                        List.of(failure == null ? result : failed(failure)))
                : client.async().batch(items.stream().map(this::operation).toList(), options);
    }

    private static BatchResult failed(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof QuorateException why) {
            return new BatchResult.Failed(why);
        }
        throw new IllegalStateException("an entry failed by a bug", failure);
    }

    private BatchOperation operation(Item item) {
        Entry entry = item.entry();
        BatchOperation put = BatchOperation.put(entry.key(), entry.value());
        if (entry.expires() != null) {
            put = put.timeToLive(timeToLive(item, entry.expires()));
        }
        if (entry.contentType() != null) {
            put = put.contentType(entry.contentType());
        }
        return switch (item.terms()) {
            case VERSIONED -> put.version(entry.version());
            case IF_ABSENT -> put.onlyIf(Condition.ifAbsent());
            case UNCONDITIONAL -> put;
        };
    }

    private CompletableFuture<BatchResult> sendLarge(Item item) {
        Entry entry = item.entry();
        WriteOptions large = options;
        if (entry.expires() != null) {
            large = large.timeToLive(timeToLive(item, entry.expires()));
        }
        if (entry.contentType() != null) {
            large = large.contentType(entry.contentType());
        }
        WriteOptions plain =
                item.terms() == Terms.VERSIONED ? large.version(entry.version()) : large;
        if (item.terms() != Terms.IF_ABSENT) {
            return client.async()
                    .put(entry.key(), entry.value(), plain)
                    .thenApply(BatchResult.Written::new);
        }
        if (entry.value().length <= MAX_CONDITIONAL_BYTES) {
            return client.async()
                    .putIf(entry.key(), entry.value(), Condition.ifAbsent(), plain)
                    .thenApply(ImportRun::result);
        }
        return client.async()
                .get(entry.key(), readOptions)
                .thenCompose(
                        found ->
                                found.isPresent()
                                        ? CompletableFuture.completedFuture(
                                                new BatchResult.Unmet(
                                                        Optional.of(found.get().version())))
                                        : client.async()
                                                .put(entry.key(), entry.value(), plain)
                                                .thenApply(BatchResult.Written::new));
    }

    private static BatchResult result(WriteResult result) {
        return switch (result) {
            case WriteResult.Written written -> new BatchResult.Written(written.version());
            case WriteResult.Unmet unmet -> new BatchResult.Unmet(unmet.current());
        };
    }

    /** The time to live, which counts from the version that is sent, or else from now. */
    private Duration timeToLive(Item item, Instant expires) {
        long from =
                item.terms() == Terms.VERSIONED
                        ? Timestamp.parse(item.entry().version().text()).wallMillis()
                        : ticker.wallMillis();
        long seconds = Math.ceilDiv(expires.toEpochMilli() - from, MILLIS_PER_SECOND);
        return Duration.ofSeconds(Math.max(1, seconds));
    }

    /** Counts results, and sends entries that are too old again with other terms. */
    private void settle(List<Item> items, List<BatchResult> results) throws CommandFailure {
        List<Item> again = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            boolean isDone =
                    switch (results.get(i)) {
                        case BatchResult.Written(Version version) -> {
                            stored++;
                            one = item.terms() == Terms.UNCONDITIONAL ? version : one;
                            yield true;
                        }
                        case BatchResult.Unmet _ -> {
                            kept++;
                            yield true;
                        }
                        case BatchResult.Failed(QuorateException why) -> {
                            boolean isOld = is(why, "The version is too old");
                            if (isOld && item.terms() == Terms.VERSIONED) {
                                again.add(otherwise(item));
                                yield false;
                            }
                            if (!is(why, "Another write has this version")) {
                                settleAgain(again);
                                throw failure(item, why);
                            }
                            others++;
                            yield true;
                        }
                        case BatchResult.Read _ ->
                                throw new IllegalStateException("a put was read");
                    };
            if (isDone) {
                progress.add(1, isFile ? 0 : item.entry().value().length);
            }
        }
        settleAgain(again);
    }

    private void settleAgain(List<Item> items) throws CommandFailure {
        if (!items.isEmpty()) {
            settle(items, send(items).join());
        }
    }

    private static boolean is(QuorateException why, String detail) {
        boolean isConflict =
                why instanceof OutcomeUnknownException
                        || (why instanceof RefusedException refused && refused.status() == 409);
        return isConflict && String.valueOf(why.getMessage()).contains(detail);
    }

    private Item otherwise(Item item) {
        Version version = item.entry().version();
        if (versions == Versions.ONE) {
            one = version.equals(one) ? null : one;
            return item.on(Terms.UNCONDITIONAL);
        }
        tooOld = tooOld == null || tooOld.compareTo(version) < 0 ? version : tooOld;
        return item.on(Terms.IF_ABSENT);
    }

    private CommandFailure failure(Item item, QuorateException why) {
        String line = (isFile ? "Line " : "Entry ") + item.line();
        if (why instanceof RefusedException) {
            return new CommandFailure(
                    ExitCode.REFUSED,
                    line + " is refused: " + why.getMessage() + "." + howToContinue(item.line()));
        }
        return CommandFailure.unavailable(
                "%s%n%s is possibly not stored.%s"
                        .formatted(why.getMessage(), line, howToContinue(item.line())));
    }

    private CommandFailure malformed(long line, String why) throws CommandFailure {
        settleAll();
        return CommandFailure.usage(
                "Line " + line + " is not imported: " + why + "." + howToContinue(line));
    }

    /** How to continue: an import with a line of its file, a restore with --merge. */
    private String howToContinue(long line) {
        return isFile
                ? " The entries before it are stored; --skip "
                        + (line - 1)
                        + " continues with this line."
                : " The entries before it are stored; --merge continues with the others.";
    }
}
