package dev.quorate.node.http.parse;

import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ByteBudget;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request's line and headers (RFC 9112, sections 2 to 6), strictly: a head that two
 * recipients could read differently is refused, because the other may be a proxy.
 *
 * <p>A state machine that accepts bytes in pieces of any size. The result does not depend on the
 * pieces: a limit is exceeded at a byte, not at the end of a piece. A head that arrives in one
 * piece is parsed in place; only an unfinished head is copied.
 */
final class HeadParser {

    private enum State {
        START,
        EMPTY_LINE,
        METHOD_START,
        METHOD,
        TARGET_START,
        TARGET,
        VERSION,
        VERSION_END,
        LINE_START,
        NAME,
        BLANKS,
        VALUE,
        VALUE_END,
        HEAD_END,
        COMPLETE
    }

    private static final int MAX_METHOD_BYTES = 32;
    private static final int VERSION_BYTES = 8;

    /** An empty line, the method, two spaces, the version and its line end. */
    private static final int LINE_EXTRA_BYTES = 2 + MAX_METHOD_BYTES + 2 + VERSION_BYTES + 2;

    /** Small: thousands of clients may send a few bytes and then pause. */
    private static final int FIRST_KEPT_BYTES = 256;

    /** Includes the parsed head (its target's text and header offsets), which is no larger. */
    private static final int RESERVED_PER_BYTE = 2;

    static final HttpFailure NO_ROOM =
            new HttpFailure(503, "Too many unfinished requests wait already. Try again later.");

    private static final byte[] NONE = {};

    private final HttpLimits limits;
    private final ByteBudget budget;
    private final RequestHead head = new RequestHead();

    private State state = State.START;
    private @Nullable HttpFailure failure;

    /** The array of the head: its first byte is {@code array[base]}. A copy, or the input. */
    private byte[] array = NONE;

    private int base;
    private byte[] kept = NONE;
    private int keptCount;

    // Relative to base, so that they survive a move.
    private int length;
    private int mark;
    private int nameEnd;
    private int valueStart;
    private int valueEnd;
    private int headersStart;

    /**
     * @param budget reserves unfinished heads until their request is handed over
     */
    HeadParser(HttpLimits limits, ByteBudget budget) {
        this.limits = limits;
        this.budget = budget;
    }

    /** Resets for the next request. */
    void reset() {
        state = State.START;
        failure = null;
        drop();
        head.reset();
    }

    /** Releases the memory. The headers are no longer readable. */
    void drop() {
        array = NONE;
        keptCount = 0;
        if (kept.length > 0) {
            budget.release((long) RESERVED_PER_BYTE * kept.length);
            kept = NONE;
        }
    }

    RequestHead head() {
        return head;
    }

    @Nullable HttpFailure failure() {
        return failure;
    }

    boolean isComplete() {
        return state == State.COMPLETE;
    }

    /** Whether no byte of a request has arrived yet. */
    boolean isAtRest() {
        return state == State.START;
    }

    /** Consumes bytes until the head is complete or has failed; returns how many it consumed. */
    int feed(byte[] in, int from, int to) {
        int before = keptCount;
        int end;
        if (before == 0) {
            array = in;
            base = from;
            length = 0;
            end = to;
        } else {
            int taken =
                    Math.min(
                            to - from,
                            LINE_EXTRA_BYTES
                                    + limits.maxTargetBytes()
                                    + limits.maxHeaderBytes()
                                    + 1
                                    - before);
            if (!retain(in, from, taken)) {
                return 0;
            }
            end = keptCount;
        }
        int at = run(base + length, end);
        length = at - base;
        if (state == State.COMPLETE) {
            keptCount = before == 0 ? 0 : length;
            head.locate(array, base);
        } else if (before == 0 && failure == null) {
            var _ = retain(in, from, to - from);
        }
        return length - before;
    }

    /**
     * Copies a complete head out of the caller's bytes, which are about to change. False, with a
     * failure, if there is no room.
     */
    boolean pin() {
        if (keptCount == 0) {
            byte[] in = array;
            if (!retain(in, base, length)) {
                return false;
            }
            head.locate(array, base);
        }
        return true;
    }

    private boolean retain(byte[] in, int from, int count) {
        int needed = keptCount + count;
        if (needed > kept.length) {
            int capacity = Math.max(FIRST_KEPT_BYTES, Integer.highestOneBit(needed - 1) << 1);
            if (!budget.tryReserve((long) RESERVED_PER_BYTE * (capacity - kept.length))) {
                failure = NO_ROOM;
                return false;
            }
            kept = Arrays.copyOf(kept, capacity);
        }
        System.arraycopy(in, from, kept, keptCount, count);
        keptCount = needed;
        array = kept;
        base = 0;
        return true;
    }

    private int run(int from, int end) {
        int at = from;
        while (at < end && state != State.COMPLETE && failure == null) {
            int stop = end;
            if (state.compareTo(State.LINE_START) >= 0) {
                stop = Math.min(end, base + headersStart + limits.maxHeaderBytes());
                if (at == stop) {
                    fail(431, "The headers are longer than " + limits.maxHeaderBytes() + " bytes.");
                    return at;
                }
            }
            at = step(at, stop);
        }
        return at;
    }

    private int step(int at, int end) {
        return switch (state) {
            case START, METHOD_START -> start(at);
            case EMPTY_LINE -> lineEnd(at, State.METHOD_START);
            case METHOD -> method(at, end);
            case TARGET_START -> targetStart(at);
            case TARGET -> target(at, end);
            case VERSION -> version(at);
            case VERSION_END -> versionEnd(at);
            case LINE_START -> lineStart(at);
            case NAME -> name(at, end);
            case BLANKS -> blanks(at, end);
            case VALUE -> value(at, end);
            case VALUE_END -> valueEnd(at);
            case HEAD_END -> headEnd(at);
            case COMPLETE -> throw new IllegalStateException();
        };
    }

    private int fail(int status, String detail) {
        failure = new HttpFailure(status, detail);
        return base + length;
    }

    private int malformed(String detail) {
        return fail(400, detail);
    }

    private int lineEnd(int at, State next) {
        if (array[at] != '\n') {
            return malformed("A carriage return without a line feed.");
        }
        state = next;
        return at + 1;
    }

    /** Skips one empty line before a request, as RFC 9112, 2.2 asks. */
    private int start(int at) {
        if (array[at] == '\r' && state == State.START) {
            state = State.EMPTY_LINE;
            return at + 1;
        }
        if (!HttpSyntax.isToken(array[at])) {
            return malformed("The request does not begin with a method.");
        }
        mark = at - base;
        state = State.METHOD;
        return at;
    }

    private int method(int from, int end) {
        int limit = base + mark + MAX_METHOD_BYTES;
        int stop = Math.min(end, limit);
        int at = from;
        while (at < stop && HttpSyntax.isToken(array[at])) {
            at++;
        }
        if (at == end) {
            return at;
        }
        if (array[at] != ' ') {
            return malformed(
                    at == limit ? "The method is too long." : "The method is not a token.");
        }
        head.setMethod(array, base + mark, at);
        state = State.TARGET_START;
        return at + 1;
    }

    private int targetStart(int at) {
        byte first = array[at];
        if (first != '/' && first != '*' && (first | 0x20) != 'h') {
            return malformed("The request target must be a path, or http:// and a host.");
        }
        mark = at - base;
        state = State.TARGET;
        return at;
    }

    private int target(int from, int end) {
        int limit = base + mark + limits.maxTargetBytes();
        int stop = Math.min(end, limit);
        int at = from;
        while (at < stop && HttpSyntax.isTarget(array[at])) {
            at++;
        }
        if (at == end) {
            return at;
        }
        if (array[at] != ' ') {
            return at == limit
                    ? fail(
                            414,
                            "The request target is longer than "
                                    + limits.maxTargetBytes()
                                    + " bytes.")
                    : malformed(
                            "The request target holds a byte that must be percent-encoded,"
                                    + " or is not followed by a version.");
        }
        int path = pathOf(head, array, base + mark, at);
        if (path < 0) {
            return malformed("The request target must be a path, or http:// and a host.");
        }
        if (path < at && array[path] != '?') {
            head.setTarget(array, path, at);
        } else {
            head.setRootTarget(array, path, at);
        }
        mark = at + 1 - base;
        state = State.VERSION;
        return at + 1;
    }

    private int version(int at) {
        int index = at - base - mark;
        byte b = array[at];
        if (index == VERSION_BYTES) {
            if (b != '\r') {
                return malformed("The request line does not end after its version.");
            }
            byte minor = array[at - 1];
            if (array[at - 3] != '1' || (minor != '0' && minor != '1')) {
                return fail(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.");
            }
            head.setHttp10(minor == '0');
            state = State.VERSION_END;
            return at + 1;
        }
        boolean fits =
                (index == 5 || index == 7) ? (b >= '0' && b <= '9') : b == "HTTP/ .".charAt(index);
        return fits ? at + 1 : malformed("The request line does not end with an HTTP version.");
    }

    private int versionEnd(int at) {
        headersStart = at + 1 - base;
        return lineEnd(at, State.LINE_START);
    }

    private int lineStart(int at) {
        byte b = array[at];
        if (b == '\r') {
            state = State.HEAD_END;
            return at + 1;
        }
        if (HttpSyntax.isBlank(b)) {
            return malformed("A header line begins with a blank.");
        }
        if (head.count() == HttpLimits.MAX_HEADERS) {
            return fail(431, "There are more than " + HttpLimits.MAX_HEADERS + " headers.");
        }
        mark = at - base;
        state = State.NAME;
        return at;
    }

    private int name(int from, int end) {
        int at = from;
        while (at < end && HttpSyntax.isToken(array[at])) {
            at++;
        }
        if (at == end) {
            return at;
        }
        nameEnd = at - base;
        if (array[at] != ':' || nameEnd == mark) {
            return malformed("A header's name is not a token followed by a colon.");
        }
        state = State.BLANKS;
        return at + 1;
    }

    private int blanks(int from, int end) {
        int at = from;
        while (at < end && HttpSyntax.isBlank(array[at])) {
            at++;
        }
        if (at < end) {
            valueStart = at - base;
            valueEnd = valueStart;
            state = State.VALUE;
        }
        return at;
    }

    private int value(int from, int end) {
        int at = from;
        while (at < end && HttpSyntax.isFieldValue(array[at])) {
            at++;
        }
        if (at == end) {
            return at;
        }
        if (array[at] != '\r') {
            return malformed("A header's value holds a control character or a bare line feed.");
        }
        int last = at;
        while (last > base + valueStart && HttpSyntax.isBlank(array[last - 1])) {
            last--;
        }
        valueEnd = last - base;
        state = State.VALUE_END;
        return at + 1;
    }

    private int valueEnd(int at) {
        int next = lineEnd(at, State.LINE_START);
        if (failure == null) {
            head.add(mark, nameEnd, valueStart, valueEnd);
            failure =
                    FramingHeaders.read(
                            head,
                            array,
                            base + mark,
                            base + nameEnd,
                            base + valueStart,
                            base + valueEnd);
        }
        return next;
    }

    private int headEnd(int at) {
        int next = lineEnd(at, State.COMPLETE);
        if (failure == null) {
            failure = FramingHeaders.check(head);
        }
        return next;
    }

    /**
     * The start of the path of a target, which is its end if the path is empty; -1 if the target is
     * malformed. A target (RFC 9112, 3.2) is a path; {@code http://}, a host, and a path; or an
     * asterisk, with OPTIONS alone. The host of the second replaces the Host header.
     */
    private static int pathOf(RequestHead head, byte[] in, int from, int to) {
        if (in[from] == '/') {
            return from;
        }
        if (in[from] == '*') {
            return to - from == 1 && head.method().equals("OPTIONS") ? from : -1;
        }
        String scheme = "http://";
        int start = from + scheme.length();
        if (to <= start || !HttpSyntax.equalsIgnoreCase(in, from, start, scheme)) {
            return -1;
        }
        int end = start;
        while (end < to && in[end] != '/' && in[end] != '?') {
            if (!HttpSyntax.isHost(in[end])) {
                return -1;
            }
            end++;
        }
        if (end == start) {
            return -1;
        }
        head.setAuthority(new String(in, start, end - start, StandardCharsets.ISO_8859_1));
        return end;
    }
}
