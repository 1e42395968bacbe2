package dev.quorate.node.http.budget;

import dev.quorate.router.runtime.Requirements;

/**
 * The limits of one listener. Immutable.
 *
 * @param maxTargetBytes longest request target; longer is a 414. The default is 8,192: two
 *     parameters of 1,024 bytes with every byte percent-encoded, and others.
 * @param maxHeaderBytes bytes of all header lines together; more is a 431. The default is 16 KiB.
 * @param maxBodyBytes longest body after removing chunked framing; longer is a 413. The default is
 *     16 MiB.
 * @param connections limits of connections. The default is 8,192, from any address.
 * @param budgets memory budgets of all connections together
 * @param deadlines deadlines of slow clients
 */
public record HttpLimits(
        int maxTargetBytes,
        int maxHeaderBytes,
        int maxBodyBytes,
        ConnectionLimits connections,
        HttpBudgets budgets,
        HttpDeadlines deadlines) {

    /** The largest head must fit into one read of a selector. */
    private static final int MAX_HEAD_BYTES = 48 * 1024;

    /** Maximum number of header lines; more is a 431. */
    public static final int MAX_HEADERS = 64;

    private static final int MIB = 1 << 20;
    private static final int DEFAULT_CONNECTIONS = 8192;

    public HttpLimits {
        new Requirements()
                .require(maxTargetBytes >= 16, "maxTargetBytes must be at least 16")
                .require(maxHeaderBytes >= 256, "maxHeaderBytes must be at least 256")
                .require(
                        (long) maxTargetBytes + maxHeaderBytes <= MAX_HEAD_BYTES,
                        "maxTargetBytes and maxHeaderBytes together must be at most "
                                + MAX_HEAD_BYTES)
                .require(maxBodyBytes >= 0, "maxBodyBytes must not be negative")
                .require(
                        budgets.bodyBytes() >= maxBodyBytes,
                        "the budget of bodies must be at least maxBodyBytes")
                .check();
    }

    /** The defaults for this process's heap. */
    public static HttpLimits defaults() {
        int maxBodyBytes = 16 * MIB;
        return new HttpLimits(
                8192,
                16 * 1024,
                maxBodyBytes,
                ConnectionLimits.withoutAuthentication(DEFAULT_CONNECTIONS, DEFAULT_CONNECTIONS),
                HttpBudgets.defaults(maxBodyBytes),
                HttpDeadlines.defaults());
    }

    public HttpLimits withMaxBodyBytes(int bytes) {
        long enough = Math.max(budgets.bodyBytes(), bytes);
        HttpBudgets larger = budgets.with(enough, budgets.answerBytes());
        return new HttpLimits(
                maxTargetBytes, maxHeaderBytes, bytes, connections, larger, deadlines);
    }

    public HttpLimits withConnections(ConnectionLimits other) {
        return new HttpLimits(
                maxTargetBytes, maxHeaderBytes, maxBodyBytes, other, budgets, deadlines);
    }

    /** The same with other budgets of bodies and of large answers. */
    public HttpLimits withBudgets(long inputBytes, long outputBytes) {
        return withBudgets(budgets.with(inputBytes, outputBytes));
    }

    public HttpLimits withBudgets(HttpBudgets other) {
        return new HttpLimits(
                maxTargetBytes, maxHeaderBytes, maxBodyBytes, connections, other, deadlines);
    }

    public HttpLimits withHeads(int targetBytes, int headerBytes) {
        return new HttpLimits(
                targetBytes, headerBytes, maxBodyBytes, connections, budgets, deadlines);
    }

    public HttpLimits withDeadlines(HttpDeadlines other) {
        return new HttpLimits(
                maxTargetBytes, maxHeaderBytes, maxBodyBytes, connections, budgets, other);
    }
}
