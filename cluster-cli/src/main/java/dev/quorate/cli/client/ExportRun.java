package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.node.http.Percent;
import dev.quorate.storage.KeyRange;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range and writes its lines. Where a node breaks off, the next goes on behind the last
 * entry; it ends once none of them has sent another.
 */
final class ExportRun {

    /** Every key is at least one byte, and none is before a byte of zeros. */
    private static final byte[] FIRST = {0};

    private static final List<String> HEADERS = List.of("Accept: application/x-ndjson");

    /**
     * What is exported.
     *
     * @param prefix of the keys; empty for all
     * @param query what follows start and end in the URL
     */
    record Range(byte[] prefix, String query) {

        /** Whether a key is in it. */
        boolean contains(byte[] key) {
            return key.length >= prefix.length
                    && Arrays.equals(prefix, 0, prefix.length, key, 0, prefix.length);
        }

        private String target(byte @Nullable [] lastKey) {
            byte[] start = prefix.length == 0 ? FIRST : prefix;
            byte[] end = KeyRange.afterPrefix(prefix);
            return "/v0/entities?start="
                    + Percent.encode(lastKey == null ? start : lastKey)
                    + (end == null ? "" : "&end=" + Percent.encode(end))
                    + query;
        }
    }

    private final Range range;
    private final OutputStream out;
    private final Progress progress;
    private long entries;

    /** Null before the first entry. */
    private byte @Nullable [] lastKey;

    /**
     * Of a range.
     *
     * @param lastKey behind which it begins; null for the first key
     */
    ExportRun(Range range, byte @Nullable [] lastKey, OutputStream out, Progress progress) {
        this.range = range;
        this.lastKey = lastKey;
        this.out = out;
        this.progress = progress;
    }

    /**
     * Writes all entries; returns how many.
     *
     * @throws CommandFailure if no node is able to go on
     * @throws IOException if it cannot be written
     */
    long run(List<Node> nodes, int timeoutMillis) throws IOException, CommandFailure {
        List<String> problems = new ArrayList<>();
        long before;
        do {
            before = entries;
            problems.clear();
            for (Node node : nodes) {
                String problem = read(node, timeoutMillis);
                if (problem == null) {
                    return entries;
                }
                problems.add(problem);
            }
        } while (entries > before);
        throw new CommandFailure(
                ExitCode.UNAVAILABLE, String.join(System.lineSeparator(), problems));
    }

    /** Why the node has not sent the rest; null if it has. */
    private @Nullable String read(Node node, int timeoutMillis) throws IOException, CommandFailure {
        try (NodeConnection connection = NodeConnection.open(node, timeoutMillis)) {
            Answer answer = connection.send("GET", range.target(lastKey), HEADERS, new byte[0]);
            if (answer.status() == 200) {
                copy(new LineReader(answer.body(), EntryLine.MAX_BYTES));
                return null;
            }
            String problem = node.url() + " answers " + answer.problem();
            if (answer.status() < 500) {
                throw new CommandFailure(ExitCode.REFUSED, problem);
            }
            return problem;
        } catch (WritingFailed e) {
            throw e.failure;
        } catch (IOException e) {
            return node.url() + " breaks off: " + EntityClient.reason(e) + ".";
        }
    }

    private void copy(LineReader lines) throws IOException {
        while (lines.next()) {
            int length = lines.to() - lines.from();
            EntryLine entry = EntryLine.parse(lines.bytes(), lines.from(), lines.to());
            byte[] key = decodedKey(entry);
            int order = lastKey == null ? 1 : Arrays.compareUnsigned(key, lastKey);
            if (entry.isLast() || lines.isCut() || order < 0 || !range.contains(key)) {
                throw new IOException("a line is not the next one of the range");
            }
            if (order > 0) {
                write(lines.bytes(), lines.from(), length + 1);
                lastKey = key;
                entries++;
                progress.add(1, length);
            }
        }
    }

    static byte[] decodedKey(EntryLine entry) throws IOException {
        return RangeScan.decoded(new String(entry.key(), US_ASCII));
    }

    private void write(byte[] bytes, int from, int length) throws WritingFailed {
        try {
            out.write(bytes, from, length);
        } catch (IOException e) {
            throw new WritingFailed(e);
        }
    }

    /** It is not the node that failed. */
    private static final class WritingFailed extends IOException {

        private static final long serialVersionUID = 1;

        private final IOException failure;

        WritingFailed(IOException failure) {
            super(failure);
            this.failure = failure;
        }
    }
}
