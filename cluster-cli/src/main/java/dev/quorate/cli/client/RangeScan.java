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

    private final String start;
    private final String query;
    private final long limit;
    private final Entries entries;
    private long taken;

    /** In Base64; null before the first entry. */
    private @Nullable String lastKey;

    /**
     * Of a range.
     *
     * @param start percent-encoded; null for the first key that there is
     * @param query what follows the start and the limit, as part of a URL
     * @param limit how many entries at most
     */
    RangeScan(@Nullable String start, String query, long limit, Entries entries) {
        this.start = start == null ? FIRST : start;
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

    /** The last entry is read once more, since no key is known that is right behind it. */
    private String target() throws IOException {
        String from = lastKey == null ? start : Percent.encode(decoded(lastKey));
        long left = limit - taken;
        boolean isLimited = limit < Long.MAX_VALUE;
        return "/v0/entities?start="
                + from
                + (isLimited ? "&limit=" + (lastKey == null ? left : left + 1) : "")
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
