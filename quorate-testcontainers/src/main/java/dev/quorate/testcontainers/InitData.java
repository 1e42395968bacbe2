package dev.quorate.testcontainers;

import dev.quorate.client.BatchOperation;
import dev.quorate.client.BatchResult;
import dev.quorate.client.Entry;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.WriteOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.MountableFile;

/** The writes of a file, in the order of its lines. Immutable. */
record InitData(List<Item> items) {

    /** The last line of an export. */
    private static final Pattern LAST =
            Pattern.compile("\\s*\\{\\s*\"entries\"\\s*:\\s*([0-9]{1,9})\\s*}\\s*");

    private static final Pattern OPERATION = Pattern.compile("\"op\"\\s*:");

    private static final int MAX_LINES = 512;

    /** Half of what nodes accept, and as much as a line may have. */
    private static final int MAX_BATCH_BYTES = 1 << 20;

    /** Maximum bytes of a line of a batch without key and value. */
    private static final int OVERHEAD_BYTES = 1_024;

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    /**
     * A line: either the entry of an export or an operation.
     *
     * @param number from 1
     * @param bytes its maximum length in a batch
     */
    record Item(int number, int bytes, @Nullable Entry entry, @Nullable BatchOperation operation) {}

    /**
     * Parses a file.
     *
     * @throws IllegalArgumentException if the file or a line is invalid
     */
    static InitData parse(Transferable file) {
        List<Item> items = new ArrayList<>();
        int number = 0;
        boolean isComplete = false;
        for (String line : text(file).split("\n", -1)) {
            number++;
            Matcher last = LAST.matcher(line);
            if (line.isBlank()) {
                continue;
            }
            if (isComplete) {
                throw invalid(number, "it follows the last line of an export", null);
            }
            if (last.matches()) {
                isComplete = true;
                if (Integer.parseInt(last.group(1)) != items.size()) {
                    throw invalid(number, "the export had " + last.group(1) + " entries", null);
                }
            } else {
                items.add(item(number, line));
            }
        }
        return new InitData(List.copyOf(items));
    }

    private static Item item(int number, String line) {
        // As in base64, which is a third longer.
        int bytes = line.getBytes(StandardCharsets.UTF_8).length / 3 * 4 + OVERHEAD_BYTES;
        try {
            return OPERATION.matcher(line).find()
                    ? new Item(number, bytes, null, BatchOperation.fromJson(line))
                    : new Item(number, bytes, Entry.fromJson(line), null);
        } catch (IllegalArgumentException e) {
            throw invalid(
                    number,
                    "it is neither a put or delete of a batch nor a line of an export: "
                            + e.getMessage(),
                    e);
        }
    }

    private static IllegalArgumentException invalid(
            int number, String why, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "Line " + number + " of the initial data is invalid: " + why + ".", cause);
    }

    private static String text(Transferable file) {
        try {
            byte[] bytes =
                    file instanceof MountableFile mountable
                            ? Files.readAllBytes(Path.of(mountable.getFilesystemPath()))
                            : file.getBytes();
            if (bytes.length != file.getSize()) {
                throw new IOException("it is not a file, or has changed");
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("The initial data is not UTF-8.", e);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(
                    "The file of initial data does not exist: " + e.getMessage() + ".", e);
        } catch (IOException e) {
            throw new IllegalArgumentException("The initial data cannot be read: " + e, e);
        }
    }

    /**
     * Writes all entries.
     *
     * @throws IllegalStateException if one is not stored; the message names its line
     */
    void load(QuorateClient client) {
        List<Item> batch = new ArrayList<>();
        int bytes = 0;
        for (Item item : items) {
            if (batch.size() == MAX_LINES || bytes + item.bytes() > MAX_BATCH_BYTES) {
                send(client, batch);
                batch.clear();
                bytes = 0;
            }
            batch.add(item);
            bytes += item.bytes();
        }
        send(client, batch);
    }

    private static void send(QuorateClient client, List<Item> items) {
        Instant now = Instant.now();
        List<Item> sent = items.stream().filter(each -> isAlive(each.entry(), now)).toList();
        if (sent.size() == 1 && sent.get(0).entry() != null) {
            putAlone(client, sent.get(0), sent.get(0).entry(), now);
            return;
        }
        List<BatchResult> results =
                client.batch(
                        sent.stream().map(each -> operation(each, now)).toList(),
                        WriteOptions.DEFAULT.deadline(DEADLINE));
        for (int i = 0; i < sent.size(); i++) {
            BatchResult result = results.get(i);
            if (result instanceof BatchResult.Failed failed) {
                throw notStored(sent.get(i), failed.why().getMessage(), failed.why());
            } else if (!(result instanceof BatchResult.Written)) {
                boolean isRead = result instanceof BatchResult.Read;
                throw notStored(
                        sent.get(i), isRead ? "it is a get" : "its condition is not met", null);
            }
        }
    }

    /** A value may be longer than a line of a batch. */
    private static void putAlone(QuorateClient client, Item item, Entry entry, Instant now) {
        WriteOptions options = WriteOptions.DEFAULT.deadline(DEADLINE);
        if (entry.expires() != null) {
            options = options.timeToLive(timeToLive(entry.expires(), now));
        }
        if (entry.contentType() != null) {
            options = options.contentType(entry.contentType());
        }
        try {
            client.put(entry.key(), entry.value(), options);
        } catch (QuorateException e) {
            throw notStored(item, e.getMessage(), e);
        }
    }

    private static BatchOperation operation(Item item, Instant now) {
        Entry entry = item.entry();
        if (entry == null) {
            return Objects.requireNonNull(item.operation());
        }
        BatchOperation put = BatchOperation.put(entry.key(), entry.value());
        if (entry.expires() != null) {
            put = put.timeToLive(timeToLive(entry.expires(), now));
        }
        return entry.contentType() == null ? put : put.contentType(entry.contentType());
    }

    private static boolean isAlive(@Nullable Entry entry, Instant now) {
        return entry == null || entry.expires() == null || entry.expires().isAfter(now);
    }

    /** In whole seconds, and at least one. */
    private static Duration timeToLive(Instant expires, Instant now) {
        return Duration.ofSeconds(Math.max(1, Duration.between(now, expires).toSeconds()));
    }

    private static IllegalStateException notStored(
            Item item, @Nullable String why, @Nullable Exception cause) {
        return new IllegalStateException(
                "Line " + item.number() + " of the initial data is not stored: " + why, cause);
    }
}
