package dev.quorate.node.http.parse;

import dev.quorate.node.http.budget.BodyRoom;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ByteBudget;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Feeds a parser and writes down what it says, one line for each request or failure. */
public final class ParserTranscript {

    private final HttpLimits limits;
    private final ByteBudget budget;
    private final RequestParser parser;
    private final List<String> lines = new ArrayList<>();
    private boolean failed;

    ParserTranscript(HttpLimits limits) {
        this.limits = limits;
        budget = new ByteBudget(limits.budgets().bodyBytes());
        parser = parser(limits, budget);
    }

    /** A parser that reads every body. */
    static RequestParser parser(HttpLimits limits, ByteBudget inputBudget) {
        return new RequestParser(
                limits,
                BodyRoom.of(inputBudget),
                new ByteBudget(limits.budgets().headBytes()),
                _ -> null,
                false);
    }

    /** Text with {@code |} for a line end, as bytes. */
    public static byte[] bytes(String text) {
        return text.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The transcript of a whole input, fed in pieces of the given sizes and then the rest. */
    static List<String> of(HttpLimits limits, byte[] input, int... pieces) {
        ParserTranscript transcript = new ParserTranscript(limits);
        int from = 0;
        for (int piece : pieces) {
            int to = Math.min(input.length, from + piece);
            transcript.feed(input, from, to);
            from = to;
        }
        transcript.feed(input, from, input.length);
        return transcript.end();
    }

    /** As {@link #of}, one byte at a time. */
    static List<String> byteByByte(HttpLimits limits, byte[] input) {
        ParserTranscript transcript = new ParserTranscript(limits);
        for (int i = 0; i < input.length; i++) {
            transcript.feed(input, i, i + 1);
        }
        return transcript.end();
    }

    /** The bytes are fed from an array that is overwritten afterwards, as a selector's is. */
    void feed(byte[] input, int from, int to) {
        byte[] shared = new byte[to - from + 5];
        System.arraycopy(input, from, shared, 3, to - from);
        int at = 3;
        int end = 3 + to - from;
        while (!failed) {
            RequestParser.Event event = parser.feed(shared, at, end);
            if (parser.position() < at || parser.position() > end) {
                throw new AssertionError("position " + parser.position());
            }
            at = parser.position();
            switch (event) {
                case MORE -> {
                    if (at != end) {
                        throw new AssertionError("wants more and left some");
                    }
                    Arrays.fill(shared, (byte) '#');
                    return;
                }
                case CONTINUE -> {
                    // Whether it is asked for depends on the pieces; the request does not.
                }
                case ROOM -> throw new AssertionError("this parser reads bodies as they come");
                case FAILED -> {
                    failed = true;
                    lines.add(String.valueOf(parser.failure().status()));
                }
                case REQUEST -> request();
            }
        }
    }

    private void request() {
        RequestHead head = parser.head();
        byte[] body = parser.takeBody();
        StringBuilder line = new StringBuilder();
        line.append(head.method()).append(' ').append(head.path());
        if (head.query() != null) {
            line.append(" ?").append(head.query());
        }
        if (head.http10()) {
            line.append(" 1.0");
        }
        if (!head.staysOpen()) {
            line.append(" close");
        }
        String extra = head.first("x-extra");
        if (extra != null) {
            line.append(" <").append(extra).append('>');
        }
        if (body.length > 0) {
            line.append(" [")
                    .append(
                            body.length > 100
                                    ? body.length + " bytes"
                                    : new String(body, StandardCharsets.ISO_8859_1))
                    .append(']');
        }
        lines.add(line.toString());
        budget.release(body.length);
        parser.next();
    }

    private List<String> end() {
        if (!failed && !parser.isAtRest()) {
            lines.add("…");
        }
        if (budget.usedBytes() > limits.maxBodyBytes()) {
            throw new AssertionError("holds " + budget.usedBytes());
        }
        parser.drop();
        if (budget.usedBytes() != 0) {
            throw new AssertionError("left reserved: " + budget.usedBytes());
        }
        return lines;
    }
}
