package dev.quorate.node.api;

import dev.quorate.node.api.request.QueryParameters;
import dev.quorate.node.api.request.RequestReader;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.router.coordinator.range.ScanRange;
import dev.quorate.router.coordinator.range.ScanScope;
import dev.quorate.router.coordinator.waiting.Positions;
import dev.quorate.router.coordinator.waiting.PrefixWait;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.KeyRange;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A GET of {@code /v0/entities}, checked.
 *
 * @param limit maximum number of entries
 * @param counts whether only the number of keys is wanted
 * @param cursor makes the cursor at the end of a page; null if the answer is not a page
 * @param trace the trace of the request; null without one
 * @param watch the token for which it waits, or that it asks for; null for neither
 */
record RangeRequest(
        ScanRange range,
        QuorumSpec spec,
        ScanScope scope,
        long limit,
        EntityFormat format,
        boolean counts,
        @Nullable RangeCursor cursor,
        @Nullable TraceParent trace,
        PrefixWait.@Nullable Asked watch) {

    private static final List<String> PARAMETERS =
            List.of(
                    "start",
                    "end",
                    "prefix",
                    "limit",
                    "keys",
                    "count",
                    "reverse",
                    "cursor",
                    "scope",
                    "replicas",
                    "ack",
                    "from",
                    "watch",
                    "wait");

    private static final byte[] FIRST_KEY = {0};
    private static final byte[] NO_BYTES = {};

    /** A write counts for each watched prefix of its key, so this bounds what it costs. */
    private static final int MAX_WATCHED_BYTES = 128;

    /**
     * Reads the parameters of a request.
     *
     * @throws RequestRefusedException if a parameter is invalid or not implemented
     */
    static RangeRequest of(HttpRequest request, RequestReader reader)
            throws RequestRefusedException {
        QueryParameters parameters = QueryParameters.parse(request.query(), PARAMETERS);
        String rawPrefix = parameters.raw("prefix");
        byte[] prefix = rawPrefix == null || rawPrefix.isEmpty() ? null : key(parameters, "prefix");
        byte[] first = key(parameters, "start");
        byte[] last = key(parameters, "end");
        if (rawPrefix == null && first == null) {
            throw new RequestRefusedException(
                    400,
                    "A range needs 'start', its first key, or 'prefix'. 'prefix=' selects every key;"
                            + " the smallest key is 'start=%00'.");
        }
        if (rawPrefix != null && (first != null || last != null)) {
            throw new RequestRefusedException(400, "'prefix' excludes 'start' and 'end'.");
        }
        byte[] start = prefix != null ? prefix : first != null ? first : FIRST_KEY;
        byte[] end = prefix != null ? KeyRange.afterPrefix(prefix) : last;
        boolean counts = counts(parameters);
        String plain = counts ? "text/plain" : EntityFormat.CHUNKS.contentType();
        RangeRequest whole =
                new RangeRequest(
                        new ScanRange(
                                start,
                                end,
                                order(parameters.raw("reverse")),
                                counts || keysOnly(parameters.raw("keys"))),
                        reader.spec(parameters),
                        RequestReader.scope(parameters.raw("scope")),
                        RequestReader.limit(parameters.raw("limit")),
                        EntityFormat.accepted(request.headers().first("accept"), plain),
                        counts,
                        null,
                        RequestReader.trace(request.headers()),
                        watch(parameters, prefix != null ? prefix : NO_BYTES));
        String cursor = parameters.raw("cursor");
        return cursor == null ? whole : whole.page(cursor, parameters.raw("limit") != null);
    }

    private static PrefixWait.@Nullable Asked watch(QueryParameters parameters, byte[] prefix)
            throws RequestRefusedException {
        String watch = parameters.raw("watch"); // a token needs no decoding
        Duration wait = RequestReader.waitTime(parameters.raw("wait"));
        if (watch == null && wait == null) {
            return null;
        }
        if (prefix.length > MAX_WATCHED_BYTES) {
            String most = "A 'prefix' has at most " + MAX_WATCHED_BYTES + " bytes with 'watch'.";
            throw new RequestRefusedException(400, most);
        }
        String cursor = parameters.raw("cursor");
        Positions since = watch == null ? null : Positions.parse(watch, prefix);
        if (parameters.raw("prefix") == null
                || "node".equals(parameters.raw("scope"))
                || (cursor != null && !cursor.isEmpty())
                || (wait == null ? !"new".equals(watch) : since == null)) {
            throw new RequestRefusedException(
                    400,
                    "'watch' is new, or with 'wait' the X-Quorate-Watch of an answer for the same"
                            + " 'prefix'. It is not for 'scope=node', nor for later pages.");
        }
        return new PrefixWait.Asked(prefix, since, wait == null ? Duration.ZERO : wait);
    }

    private static byte @Nullable [] key(QueryParameters parameters, String name)
            throws RequestRefusedException {
        String raw = parameters.raw(name);
        return raw == null ? null : RequestReader.key(name, raw);
    }

    private static boolean keysOnly(@Nullable String raw) throws RequestRefusedException {
        return switch (raw) {
            case null -> false;
            case "only" -> true;
            default -> throw new RequestRefusedException(400, "'keys' must be only.");
        };
    }

    private static boolean counts(QueryParameters parameters) throws RequestRefusedException {
        boolean counts = RequestReader.is("count", parameters.raw("count"), "true", "false");
        for (String other : List.of("limit", "cursor", "reverse")) {
            if (counts && parameters.raw(other) != null) {
                throw new RequestRefusedException(400, "'count' excludes '" + other + "'.");
            }
        }
        return counts;
    }

    private static KeyOrder order(@Nullable String raw) throws RequestRefusedException {
        return RequestReader.is("reverse", raw, "1", "0")
                ? KeyOrder.DESCENDING
                : KeyOrder.ASCENDING;
    }

    /**
     * One page of this range.
     *
     * @param text the cursor at the end of the previous page; empty for the first page
     */
    private RangeRequest page(String text, boolean hasLimit) throws RequestRefusedException {
        if (!hasLimit) {
            throw new RequestRefusedException(400, "'cursor' needs a 'limit', the size of a page.");
        }
        if (format == EntityFormat.CHUNKS) {
            throw new RequestRefusedException(
                    400,
                    "'cursor' needs Accept: application/json or application/x-ndjson: the next"
                            + " cursor is the last element.");
        }
        if (scope == ScanScope.NODE) {
            throw new RequestRefusedException(
                    501, "'cursor' with 'scope=node' is not implemented. Nothing was attempted.");
        }
        RangeCursor cursors =
                new RangeCursor(range.start(), range.end(), range.order(), spec, range.keysOnly());
        ScanRange rest = text.isEmpty() ? range : range.after(last(cursors.key(text)));
        return new RangeRequest(rest, spec, scope, limit, format, false, cursors, trace, watch);
    }

    /** The last key of the previous page, checked. */
    private byte[] last(byte @Nullable [] key) throws RequestRefusedException {
        byte[] end = range.end();
        boolean isInside =
                key != null
                        && Arrays.compareUnsigned(key, range.start()) >= 0
                        && (end == null || Arrays.compareUnsigned(key, end) < 0);
        if (key == null || !isInside) {
            throw new RequestRefusedException(
                    400,
                    "'cursor' is not one that an answer to this query gave. 'prefix', 'start', 'end',"
                            + " 'reverse', 'keys' and 'replicas' must be those of the first page.");
        }
        return key;
    }
}
