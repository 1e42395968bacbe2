package dev.quorate.node.http;

import java.util.ArrayList;
import java.util.List;

/**
 * What one listener takes. Immutable; {@link #defaults} gives the defaults.
 *
 * @param maxTargetBytes longest request target; longer is a 414. The default is 8,192: two keys of
 *     1,024 bytes with every byte percent-encoded, and parameters.
 * @param maxHeaderBytes bytes of all header lines together; more is a 431. The default is 16 KiB.
 * @param maxHeaders header lines; more is a 431. The default is 64.
 * @param maxBodyBytes longest body after removing chunked framing; longer is a 413. The default is
 *     16 MiB.
 * @param maxConnections connections open at once; more are closed after a 503. Each costs a file
 *     descriptor. The default is 8,192, or a quarter of the descriptors this process may have.
 * @param inputBudgetBytes bytes of request bodies and waiting pipelined requests held at once, by
 *     all connections together; beyond that a 503. The default is a quarter of the heap, at most 1
 *     GiB and at least {@code maxBodyBytes}.
 * @param outputBudgetBytes bytes of large answers and streams held at once for clients that have
 *     not taken them yet; beyond that a 503. The default is that of {@code inputBudgetBytes}.
 * @param deadlines how slow a client may be
 */
public record HttpLimits(
        int maxTargetBytes,
        int maxHeaderBytes,
        int maxHeaders,
        int maxBodyBytes,
        int maxConnections,
        long inputBudgetBytes,
        long outputBudgetBytes,
        HttpDeadlines deadlines) {

    /** The largest head has to fit one read of a selector. */
    private static final int MAX_HEAD_BYTES = 48 * 1024;

    private static final int MAX_HEADERS = 1024;
    private static final int MIB = 1 << 20;

    public HttpLimits {
        List<String> violations = new ArrayList<>();
        require(violations, maxTargetBytes >= 16, "maxTargetBytes must be at least 16");
        require(violations, maxHeaderBytes >= 256, "maxHeaderBytes must be at least 256");
        require(
                violations,
                (long) maxTargetBytes + maxHeaderBytes <= MAX_HEAD_BYTES,
                "maxTargetBytes and maxHeaderBytes together must be at most " + MAX_HEAD_BYTES);
        require(
                violations,
                maxHeaders >= 4 && maxHeaders <= MAX_HEADERS,
                "maxHeaders must be 4 to " + MAX_HEADERS);
        require(violations, maxBodyBytes >= 0, "maxBodyBytes must not be negative");
        require(violations, maxConnections >= 1, "maxConnections must be at least 1");
        require(
                violations,
                inputBudgetBytes >= maxBodyBytes,
                "inputBudgetBytes must be at least maxBodyBytes");
        require(violations, outputBudgetBytes >= MIB, "outputBudgetBytes must be at least 1 MiB");
        if (!violations.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", violations));
        }
    }

    private static void require(List<String> violations, boolean holds, String message) {
        if (!holds) {
            violations.add(message);
        }
    }

    /** The defaults, which fit the heap this process was given. */
    public static HttpLimits defaults() {
        int maxBodyBytes = 16 * MIB;
        long quarter = Math.min(Runtime.getRuntime().maxMemory() / 4, 1024L * MIB);
        long budget = Math.max(quarter, maxBodyBytes);
        return new HttpLimits(
                8192, 16 * 1024, 64, maxBodyBytes, 8192, budget, budget, HttpDeadlines.defaults());
    }

    public HttpLimits withMaxBodyBytes(int bytes) {
        return new HttpLimits(
                maxTargetBytes,
                maxHeaderBytes,
                maxHeaders,
                bytes,
                maxConnections,
                Math.max(inputBudgetBytes, bytes),
                outputBudgetBytes,
                deadlines);
    }

    public HttpLimits withMaxConnections(int connections) {
        return new HttpLimits(
                maxTargetBytes,
                maxHeaderBytes,
                maxHeaders,
                maxBodyBytes,
                connections,
                inputBudgetBytes,
                outputBudgetBytes,
                deadlines);
    }

    public HttpLimits withBudgets(long inputBytes, long outputBytes) {
        return new HttpLimits(
                maxTargetBytes,
                maxHeaderBytes,
                maxHeaders,
                maxBodyBytes,
                maxConnections,
                inputBytes,
                outputBytes,
                deadlines);
    }

    public HttpLimits withDeadlines(HttpDeadlines newDeadlines) {
        return new HttpLimits(
                maxTargetBytes,
                maxHeaderBytes,
                maxHeaders,
                maxBodyBytes,
                maxConnections,
                inputBudgetBytes,
                outputBudgetBytes,
                newDeadlines);
    }
}
