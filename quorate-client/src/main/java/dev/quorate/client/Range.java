package dev.quorate.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A range of entries, in ascending or descending order of keys. Immutable. Pages are not a
 * snapshot: each shows the state at the time of its read.
 *
 * @param start the first key, inclusive; null for the first of all
 * @param end the end, exclusive; null for none
 * @param prefix the prefix of all keys; null for any; excludes {@code start} and {@code end}
 * @param isKeysOnly whether values are omitted
 * @param isReverse whether the order is descending
 * @param pageEntries the entries of a page, 1 to 100,000; limits the memory of a stream. If a page
 *     exceeds the maximum answer, it is requested again with fewer entries
 * @param options of each page, including its deadline; ranges are not linearizable
 */
public record Range(
        @Nullable Key start,
        @Nullable Key end,
        @Nullable Key prefix,
        boolean isKeysOnly,
        boolean isReverse,
        int pageEntries,
        ReadOptions options) {

    private static final int MAX_PAGE_ENTRIES = 100_000;
    private static final Range ALL =
            new Range(null, null, null, false, false, 256, ReadOptions.DEFAULT);

    /**
     * @throws IllegalArgumentException if the arguments contradict each other
     */
    public Range {
        if (prefix != null && (start != null || end != null)) {
            throw new IllegalArgumentException("A prefix excludes a start and an end.");
        }
        if (pageEntries < 1 || pageEntries > MAX_PAGE_ENTRIES) {
            throw new IllegalArgumentException(
                    "A page has 1 to 100,000 entries, not " + pageEntries + ".");
        }
        if (options.isLinearizable()) {
            throw new IllegalArgumentException("A range cannot be linearizable.");
        }
    }

    /** All entries. */
    public static Range all() {
        return ALL;
    }

    public static Range withPrefix(Key prefix) {
        return new Range(null, null, prefix, false, false, ALL.pageEntries, ALL.options);
    }

    /** All keys that begin with the bytes of a text in UTF-8. */
    public static Range withPrefix(String prefix) {
        return withPrefix(Key.of(prefix));
    }

    /** From {@code start}, inclusive, to {@code end}, exclusive. */
    public static Range between(Key start, Key end) {
        return new Range(start, end, null, false, false, ALL.pageEntries, ALL.options);
    }

    public static Range from(Key start) {
        return new Range(start, null, null, false, false, ALL.pageEntries, ALL.options);
    }

    public Range keysOnly() {
        return new Range(start, end, prefix, true, isReverse, pageEntries, options);
    }

    /** The same range in descending order. */
    public Range reverse() {
        return new Range(start, end, prefix, isKeysOnly, true, pageEntries, options);
    }

    public Range pageEntries(int entries) {
        return new Range(start, end, prefix, isKeysOnly, isReverse, entries, options);
    }

    public Range options(ReadOptions newOptions) {
        return new Range(start, end, prefix, isKeysOnly, isReverse, pageEntries, newOptions);
    }

    /** A request for the number of keys. */
    Request count() {
        return Request.get(target("count=true").toString()).with("Accept", "application/json");
    }

    static long parseCount(byte[] body) throws Json.BadAnswerException {
        return Json.object(new String(body, StandardCharsets.US_ASCII)).number("count");
    }

    /** The keys and replicas of a request, after its first parameter. */
    private StringBuilder target(String first) {
        StringBuilder target = new StringBuilder("/v0/entities?").append(first);
        if (start == null && end == null && prefix == null) {
            target.append("&prefix=");
        } else if (start == null && prefix == null) {
            target.append("&start=%00"); // The smallest key.
        }
        append(target, "start", start);
        append(target, "end", end);
        append(target, "prefix", prefix);
        if (options.replicas() != null) {
            target.append("&replicas=").append(options.replicas());
        }
        return target;
    }

    Request page(String cursor, int limit) {
        StringBuilder target = target("limit=" + limit);
        if (isKeysOnly) {
            target.append("&keys=only");
        }
        if (isReverse) {
            target.append("&reverse=1");
        }
        target.append("&cursor=").append(Json.encoded(Json.bytes(cursor)));
        return Request.get(target.toString()).with("Accept", "application/x-ndjson");
    }

    private static void append(StringBuilder target, String name, @Nullable Key key) {
        if (key != null) {
            target.append('&').append(name).append('=').append(Json.encoded(key.shared()));
        }
    }

    /** Parses a page and checks that it fits the request. */
    Page parse(byte[] body, int limit) throws Json.BadAnswerException {
        List<Entry> entries = new ArrayList<>();
        String cursor = null;
        int begin = 0;
        for (int at = 0; at < body.length; at++) {
            if (body[at] == '\n') {
                if (cursor != null) {
                    throw new Json.BadAnswerException("a line behind the cursor");
                }
                Json.Members line =
                        Json.object(new String(body, begin, at - begin, StandardCharsets.US_ASCII));
                if (line.has("cursor")) {
                    cursor = line.text("cursor");
                } else {
                    entries.add(next(line, entries));
                }
                begin = at + 1;
            }
        }
        if (begin < body.length || entries.size() > limit) {
            throw new Json.BadAnswerException("a page that is cut off, or too long");
        }
        return new Page(entries, cursor);
    }

    private Entry next(Json.Members line, List<Entry> before) throws Json.BadAnswerException {
        try {
            Entry entry = Entry.of(line, !isKeysOnly);
            Key key = entry.key();
            Key last = before.isEmpty() ? null : before.get(before.size() - 1).key();
            boolean isNext =
                    last == null || (isReverse ? key.compareTo(last) : last.compareTo(key)) < 0;
            if (!isNext || !contains(key)) {
                throw new Json.BadAnswerException("a key that is not the next of the range");
            }
            return entry;
        } catch (IllegalArgumentException e) {
            throw new Json.BadAnswerException("an entry that is none: " + e.getMessage());
        }
    }

    private boolean contains(Key key) {
        return (start == null || start.compareTo(key) <= 0)
                && (end == null || key.compareTo(end) < 0)
                && (prefix == null || startsWith(key.shared(), prefix.shared()));
    }

    private static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }
}
