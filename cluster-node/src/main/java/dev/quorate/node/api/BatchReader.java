package dev.quorate.node.api;

import java.util.ArrayList;
import java.util.List;

/** Divides the body of a batch into lines; empty lines are skipped. */
final class BatchReader {

    /** The longest body. */
    static final int MAX_BODY_BYTES = 2 << 20;

    /** The most lines: one exchange with a peer takes so many operations. */
    static final int MAX_LINES = 512;

    private BatchReader() {}

    /**
     * Reads all lines.
     *
     * @throws RefusedException if there are none, or too many, or the body is too long
     */
    static List<BatchLine> read(byte[] body, BatchLineReader reader) throws RefusedException {
        requireLength(body.length);
        List<int[]> bounds = new ArrayList<>();
        for (int from = 0; from < body.length; ) {
            int to = lineEnd(body, from);
            if (!isBlank(body, from, to)) {
                bounds.add(new int[] {from, to});
            }
            if (bounds.size() > MAX_LINES) {
                throw new RefusedException(
                        413, "A batch has at most " + MAX_LINES + " lines. Nothing was attempted.");
            }
            from = to + 1;
        }
        if (bounds.isEmpty()) {
            throw new RefusedException(
                    400, "The batch is empty. Its body is one JSON object a line.");
        }
        List<BatchLine> lines = new ArrayList<>(bounds.size());
        for (int[] line : bounds) {
            lines.add(reader.read(body, line[0], line[1]));
        }
        return lines;
    }

    static void requireLength(long bodyBytes) throws RefusedException {
        if (bodyBytes > MAX_BODY_BYTES) {
            throw new RefusedException(
                    413,
                    "A batch has at most " + MAX_BODY_BYTES + " bytes. Nothing was attempted.");
        }
    }

    private static int lineEnd(byte[] body, int from) {
        int to = from;
        while (to < body.length && body[to] != '\n') {
            to++;
        }
        return to;
    }

    private static boolean isBlank(byte[] body, int from, int to) {
        for (int i = from; i < to; i++) {
            if (body[i] != ' ' && body[i] != '\t' && body[i] != '\r') {
                return false;
            }
        }
        return true;
    }
}
