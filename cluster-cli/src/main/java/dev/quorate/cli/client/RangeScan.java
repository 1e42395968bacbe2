package dev.quorate.cli.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quorate.node.http.Percent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range, entry by entry. Where a node breaks off, the next goes on behind the last entry;
 * each is asked once.
 */
final class RangeScan {

    /** Takes what is read, in order. */
    @FunctionalInterface
    interface Entries {

        /**
         * Takes an entry.
         *
         * @param line of JSON, as the node sent it
         * @param key in Base64, as the value
         */
        void take(String line, String key, String value) throws IOException;
    }

    private static final Pattern LINE =
            Pattern.compile(
                    "\\{\"key\":\"([A-Za-z0-9+/=]*+)\",\"value\":\"([A-Za-z0-9+/=]*+)\".*\\}");

    /** Every key is at least one byte, and none is before a byte of zeros. */
    private static final String FIRST = "%00";

    private static final List<String> HEADERS = List.of("Accept: application/x-ndjson");

    private final Bounds bounds;
    private final String query;
    private final long limit;
    private final Entries entries;
    private long taken;

    /** In Base64; null before the first entry. */
    private @Nullable String lastKey;

    /**
     * Which keys are read, percent-encoded.
     *
     * @param start the first key, included; null for the first there is
     * @param end the key before which it ends; null for no end
     * @param reverse whether the largest key comes first
     */
    record Bounds(@Nullable String start, @Nullable String end, boolean reverse) {

        /**
         * What is left after a key. In ascending order that key is read once more, since no key is
         * known that is right after it.
         */
        Bounds after(String key) {
            return reverse ? new Bounds(start, key, true) : new Bounds(key, end, false);
        }

        String query() {
            return "start="
                    + (start == null ? FIRST : start)
                    + (end == null ? "" : "&end=" + end)
                    + (reverse ? "&reverse=1" : "");
        }
    }

    /**
     * Of a range.
     *
     * @param query what follows the bounds and the limit, as part of a URL
     * @param limit how many entries at most
     */
    RangeScan(Bounds bounds, String query, long limit, Entries entries) {
        this.bounds = bounds;
        this.query = query;
        this.limit = limit;
        this.entries = entries;
    }

    /**
     * Reads it through the first of these nodes, and of those behind it where one breaks off.
     *
     * @throws CommandFailure if none of them has come to the end
     */
    void run(List<Node> nodes, int timeoutMillis) throws CommandFailure {
        List<String> problems = new ArrayList<>();
        for (Node node : nodes) {
            try (NodeConnection connection = NodeConnection.open(node, timeoutMillis)) {
                Answer answer = connection.send("GET", target(), HEADERS, new byte[0]);
                if (answer.status() == 200) {
                    take(answer.body());
                    return;
                }
                String problem = node.url() + " answers " + answer.problem();
                if (answer.status() < 500) {
                    throw new CommandFailure(ExitCode.REFUSED, problem);
                }
                problems.add(problem);
            } catch (IOException e) {
                problems.add(node.url() + " cannot be asked: " + EntityClient.reason(e) + ".");
            }
            if (taken >= limit) {
                return;
            }
        }
        throw new CommandFailure(
                ExitCode.UNAVAILABLE, String.join(System.lineSeparator(), problems));
    }

    private String target() throws IOException {
        Bounds rest = lastKey == null ? bounds : bounds.after(Percent.encode(decoded(lastKey)));
        long left = limit - taken;
        boolean readsOneAgain = lastKey != null && !bounds.reverse();
        boolean isLimited = limit < Long.MAX_VALUE;
        return "/v0/entities?"
                + rest.query()
                + (isLimited ? "&limit=" + (readsOneAgain ? left + 1 : left) : "")
                + query;
    }

    private void take(InputStream json) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(json, ISO_8859_1));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher entry = LINE.matcher(line);
            if (!entry.matches()) {
                throw new IOException("a line of the range is not one of an entry");
            }
            String key = entry.group(1);
            decoded(entry.group(2));
            if (taken < limit && !key.equals(lastKey)) {
                entries.take(line, key, entry.group(2));
                lastKey = key;
                taken++;
            }
        }
    }

    /** Bytes that are in Base64. */
    static byte[] decoded(String base64) throws IOException {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IOException("a line of the range is not one of an entry", e);
        }
    }
}
