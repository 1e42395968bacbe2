package dev.quorate.node.api;

import dev.quorate.node.api.answer.OutcomeAnswers;
import dev.quorate.node.api.answer.ReadCondition;
import dev.quorate.node.http.HeaderLines;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.json.JsonText;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.TraceParent;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one line of a batch: {@code {"status":…,"version":…,"value":…}}, or the problem
 * that a single request would get, without its explanation.
 *
 * @param version null without one
 * @param found the entry of a get; null for none
 * @param problem a whole line; null for a success
 */
record BatchAnswer(
        int status, @Nullable Timestamp version, @Nullable Entry found, byte @Nullable [] problem) {

    /** Maximum length of a returned value, in bytes. */
    static final int MAX_VALUE_BYTES = 1 << 20;

    private static final byte[] COMMA = {','};
    private static final byte[] END = ascii("\"}\n");
    private static final byte[] BARE_END = ascii("}\n");
    private static final JsonText.Name VALUE = new JsonText.Name("value");

    /** The answer in place of the operation. */
    static BatchAnswer of(HttpResponse problem) {
        return new BatchAnswer(problem.status(), null, null, problem.body());
    }

    /** The answer to the outcome of a line; a 504 contains the trace id, if any. */
    static BatchAnswer of(BatchLine line, Outcome outcome, @Nullable TraceParent trace) {
        return switch (outcome) {
            case Outcome.Found(var entry) -> {
                Timestamp version = entry.timestamp();
                HttpResponse unmet =
                        line instanceof BatchLine.Get(var _, ReadCondition condition)
                                        && condition != null
                                ? condition.answerFor(entry)
                                : null;
                HttpResponse other = unmet != null ? unmet : tooLong(entry.valueBytes(), version);
                yield other == null
                        ? new BatchAnswer(200, version, entry, null)
                        : withVersion(other, version);
            }
            case Outcome.Written(var version) ->
                    new BatchAnswer(isPut(line) ? 201 : 202, version, null, null);
            case Outcome.QuorumFailed(var version, var accepted, var failures, var _) ->
                    of(
                            new Outcome.QuorumFailed(version, accepted, failures, Explanation.NONE),
                            version,
                            trace);
            case Outcome.TooOld(var version, var _) ->
                    of(new Outcome.TooOld(version, Explanation.NONE), version, trace);
            case Outcome.VersionTaken(var version, var _) ->
                    of(new Outcome.VersionTaken(version, Explanation.NONE), version, trace);
            case Outcome.Undecided undecided -> of(undecided, undecided.origin(), trace);
            case Outcome.Unmet unmet -> of(unmet, unmet.current(), trace);
            case Outcome.Missing missing -> of(missing, missing.deletedAt(), trace);
            case Outcome.TooFarAhead ahead -> of(ahead, ahead.timestamp(), trace);
            case Outcome.TooLong tooLong -> of(tooLong, null, trace);
            case Outcome.NotJudged notJudged -> of(notJudged, null, trace);
            case Outcome.Refused refused -> of(refused, null, trace);
        };
    }

    private static BatchAnswer of(
            Outcome failure, @Nullable Timestamp version, @Nullable TraceParent trace) {
        return withVersion(OutcomeAnswers.response(failure, 0, HeaderLines.NONE, trace), version);
    }

    private static BatchAnswer withVersion(HttpResponse response, @Nullable Timestamp version) {
        byte[] problem = response.status() == 304 ? null : response.body();
        return new BatchAnswer(response.status(), version, null, problem);
    }

    private static @Nullable HttpResponse tooLong(int valueBytes, Timestamp version) {
        return valueBytes <= MAX_VALUE_BYTES
                ? null
                : Problem.of(
                                413,
                                "The value has %d bytes, and a batch returns at most %d. Read it by itself."
                                        .formatted(valueBytes, MAX_VALUE_BYTES))
                        .with("version", version.toString())
                        .response();
    }

    private static boolean isPut(BatchLine line) {
        return line instanceof BatchLine.Write write && write.value() != null;
    }

    /** Bytes of memory that the answer uses, apart from a constant. */
    int heldBytes() {
        return (found == null ? 0 : found.valueBytes()) + (problem == null ? 0 : problem.length);
    }

    /**
     * The answer if memory is short. A read is refused; a write's answer retains its status and
     * version.
     */
    BatchAnswer withoutRoom() {
        return found != null
                ? of(Problem.response(503, "There is no memory for all of these values at once."))
                : new BatchAnswer(status, version, null, null);
    }

    /** Bytes of the line as it is sent, including its chunk's header. */
    long bytes() {
        long size = problem != null ? problem.length : head().length + valueBytes();
        return Long.toHexString(size).length() + 2L + size + 2;
    }

    private long valueBytes() {
        return found == null
                ? BARE_END.length
                : COMMA.length + VALUE.bytes(found.value()) + END.length;
    }

    /** Writes the line as one chunk. */
    void write(StreamSink sink) {
        if (problem != null) {
            sink.chunk(problem);
        } else if (found == null) {
            sink.chunk(head(), BARE_END);
        } else {
            byte[] value = found.value();
            byte[] text = JsonText.escaped(value);
            sink.chunk(head(), COMMA, VALUE.before(text), JsonText.value(text, value), END);
        }
    }

    private byte[] head() {
        String of = version == null ? "" : ",\"version\":\"" + version + "\"";
        String more =
                found == null
                        ? ""
                        : EntityFormat.expires(found) + JsonText.contentType(found.contentType());
        return ascii("{\"status\":" + status + of + more);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
