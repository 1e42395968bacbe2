package dev.quorate.node.http.budget;

import dev.quorate.router.runtime.Requirements;

/**
 * Memory budgets of all connections of a listener together. Immutable.
 *
 * @param bodyBytes request bodies and waiting pipelined requests; beyond that a 503. A larger
 *     budget gives senders more of the heap. The default is a quarter of the heap, at most 1 GiB
 *     and at least the longest body.
 * @param smallBodyBytes bodies of at most 64 KiB, apart from {@code bodyBytes}, which they use when
 *     this is full, so that large bodies do not exclude small ones. The default is a 32nd of the
 *     heap, at least 1 MiB and at most 64 MiB.
 * @param headBytes heads of requests that did not arrive in one piece; beyond that a 503. The
 *     default is that of {@code smallBodyBytes}.
 * @param answerBytes large answers and streams for clients that have not read them yet; beyond that
 *     a 503. The default is that of {@code bodyBytes}.
 * @param waitingBytes small answers that clients do not read at once, apart from {@code
 *     answerBytes}. When this is full, they use up to half of {@code answerBytes}; beyond that the
 *     connection is reset. The default is a 16th of the heap, at least 1 MiB and at most 64 MiB.
 */
public record HttpBudgets(
        long bodyBytes, long smallBodyBytes, long headBytes, long answerBytes, long waitingBytes) {

    /**
     * The part of {@code answerBytes} that an open streamed answer reserves. Its source is pulled
     * when nothing waits to be sent, so that at most one delivery waits. The kernel's buffer
     * supplies the client while the next is made.
     */
    public static final int STREAM_BYTES = 256 * 1024;

    private static final long MIB = 1 << 20;
    private static final long MIN_HEAD_BYTES = 128 * 1024;

    public HttpBudgets {
        new Requirements()
                .require(bodyBytes >= 0, "bodyBytes must not be negative")
                .require(smallBodyBytes >= 0, "smallBodyBytes must not be negative")
                .require(headBytes >= MIN_HEAD_BYTES, "headBytes must be at least 128 KiB")
                .require(answerBytes >= MIB, "answerBytes must be at least 1 MiB")
                .require(waitingBytes >= 0, "waitingBytes must not be negative")
                .check();
    }

    /** The defaults for this process's heap. */
    public static HttpBudgets defaults(int maxBodyBytes) {
        long heap = Runtime.getRuntime().maxMemory();
        long bodies = Math.max(Math.min(heap / 4, 1024 * MIB), maxBodyBytes);
        long small = Math.clamp(heap / 32, MIB, 64 * MIB);
        long waiting = Math.clamp(heap / 16, MIB, 64 * MIB);
        return new HttpBudgets(bodies, small, small, bodies, waiting);
    }

    HttpBudgets with(long newBodyBytes, long newAnswerBytes) {
        return new HttpBudgets(
                newBodyBytes, smallBodyBytes, headBytes, newAnswerBytes, waitingBytes);
    }
}
