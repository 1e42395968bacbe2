package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.node.runtime.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sends entries to one node: as a batch, or a large one by itself. Its connection is kept, so each
 * thread has one of its own.
 */
final class ImportSender implements AutoCloseable {

    /**
     * What the node answers to one entry.
     *
     * @param text the problem; for a success it may be empty
     * @param version that it has stored, or read; null if it names none
     */
    record Reply(int status, String text, @Nullable String version) {}

    private static final Pattern STATUS = Pattern.compile("\"status\":([1-5][0-9]{2})[,}]");
    private static final Pattern VERSION = Pattern.compile("\"version\":\"([0-9a-f.-]{1,64})\"");
    private static final int MAX_REPLY_BYTES = 1 << 20;
    private static final int UNMET = 412;
    private static final int NOT_FOUND = 404;
    private static final int FIRST_FAILURE = 300;

    /** A longer value cannot be written on a condition. */
    private static final int MAX_CONDITIONAL_BYTES = 1 << 20;

    private final Ticker ticker;
    private final KeptConnection connection;
    private final String replicas;

    /**
     * Creates a sender.
     *
     * @param timeoutMillis without a byte of an answer
     * @param replicas {@code &replicas=…} as part of a URL, or empty
     */
    ImportSender(Ticker ticker, int timeoutMillis, String replicas) {
        this.ticker = ticker;
        this.connection = new KeptConnection(timeoutMillis);
        this.replicas = replicas;
    }

    /**
     * Sends them to a node; returns an answer for each.
     *
     * @param items up to 512, or a single large one
     * @throws IOException if the node does not answer: they may have been stored
     */
    List<Reply> send(Node node, List<ImportItem> items) throws IOException {
        ImportItem first = items.getFirst();
        return first.isLarge() ? List.of(large(node, first)) : batch(node, items);
    }

    private List<Reply> batch(Node node, List<ImportItem> items) throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (ImportItem item : items) {
            item.writeTo(lines, ticker.wallMillis());
        }
        String target = "/v0/entities" + (replicas.isEmpty() ? "" : "?" + replicas.substring(1));
        List<String> headers = List.of("Content-Type: application/x-ndjson");
        return connection.exchange(
                node,
                "POST",
                target,
                headers,
                lines.toByteArray(),
                answer -> replies(answer, items.size()));
    }

    private static List<Reply> replies(Answer answer, int items) throws IOException {
        if (answer.status() != 200) {
            return Collections.nCopies(items, new Reply(answer.status(), answer.problem(), null));
        }
        List<Reply> replies = new ArrayList<>();
        LineReader reader = new LineReader(answer.body(), MAX_REPLY_BYTES);
        while (reader.next()) {
            int length = reader.to() - reader.from();
            replies.add(reply(new String(reader.bytes(), reader.from(), length, UTF_8)));
        }
        if (replies.size() != items) {
            throw new IOException("it answers " + replies.size() + " of " + items + " lines");
        }
        return replies;
    }

    private static Reply reply(String line) throws IOException {
        Matcher status = STATUS.matcher(line);
        if (!status.find()) {
            throw new IOException("a line of its answer has no status");
        }
        Matcher version = VERSION.matcher(line);
        return new Reply(
                Integer.parseInt(status.group(1)), line, version.find() ? version.group(1) : null);
    }

    private Reply large(Node node, ImportItem item) throws IOException {
        byte[] value = item.value();
        List<String> headers = new ArrayList<>(item.headers());
        boolean isConditional = item.sending() == ImportItem.Sending.IF_ABSENT;
        if (isConditional && value.length <= MAX_CONDITIONAL_BYTES) {
            headers.add("If-None-Match: *");
        } else if (isConditional) {
            Reply found = exchange(node, "HEAD", item.readTarget(replicas), List.of(), new byte[0]);
            if (found.status() != NOT_FOUND) {
                return found.status() == 200 ? new Reply(UNMET, "", null) : found;
            }
        }
        return exchange(node, "PUT", item.target(replicas, ticker.wallMillis()), headers, value);
    }

    private Reply exchange(
            Node node, String method, String target, List<String> headers, byte[] body)
            throws IOException {
        return connection.exchange(
                node,
                method,
                target,
                headers,
                body,
                answer -> {
                    boolean isDone = answer.status() < FIRST_FAILURE;
                    String text = isDone ? "" : answer.problem();
                    return new Reply(answer.status(), text, answer.version());
                });
    }

    @Override
    public void close() {
        connection.close();
    }
}
