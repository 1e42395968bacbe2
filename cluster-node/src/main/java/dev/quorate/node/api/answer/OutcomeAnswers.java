package dev.quorate.node.api.answer;

import dev.quorate.node.api.request.ContentType;
import dev.quorate.node.http.HeaderLines;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.Outcome.QuorumFailed;
import dev.quorate.router.coordinator.operation.Outcome.ReplicaFailure;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.TraceParent;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Turns the outcome of an operation into an answer. */
public final class OutcomeAnswers {

    private static final byte[] EMPTY = {};
    private static final byte[] NO_LINE = {};

    /** A cache may store a value, but must revalidate it by its version. */
    static final List<String> REVALIDATED = List.of("Cache-Control: no-cache");

    private static final byte[] OF_VALUES =
            new HeaderLines()
                    .add(HeaderLines.line("X-Content-Type-Options", "nosniff"))
                    .add(HeaderLines.line("Accept-Ranges", "bytes"))
                    .toBytes();

    private static final byte[] BYTES =
            new HeaderLines()
                    .add(HeaderLines.line("Content-Type", ContentType.DEFAULT))
                    .add(OF_VALUES)
                    .toBytes();

    /** A browser then shows the value without an origin and without scripts. */
    private static final byte[] SANDBOX = HeaderLines.line("Content-Security-Policy", "sandbox");

    private static final byte[] TAG = HeaderLines.beginning("ETag");
    private static final byte[] QUOTE = {'"'};
    private static final byte[] VERSION = HeaderLines.beginning("X-Quorate-Version");

    private static final byte[] EXPIRES = HeaderLines.beginning("X-Quorate-Expires");
    private static final int EXPIRES_LINE_BYTES = EXPIRES.length + 20;

    /** The status of a PATCH that succeeded. */
    static final int RENEWED = 204;

    /** Bytes of the two lines without the version. */
    private static final int VERSION_LINES_BYTES = TAG.length + 2 * QUOTE.length + VERSION.length;

    private OutcomeAnswers() {}

    /**
     * The answer to a client.
     *
     * @param writtenStatus the status of a write that succeeded: 201, 202 or {@link #RENEWED}
     * @param more further header lines
     * @param trace a 504 contains its id; null for none
     */
    public static HttpResponse response(
            Outcome outcome, int writtenStatus, HeaderLines more, @Nullable TraceParent trace) {
        return switch (outcome) {
            case Outcome.Found(var entry) ->
                    new HttpResponse(
                            200,
                            REVALIDATED,
                            lines(
                                    type(entry.contentType()),
                                    entry.timestamp(),
                                    withExpiry(entry, more)),
                            entry.value());
            case Outcome.Missing(var deletedAt) -> missing(deletedAt).with(more);
            case Outcome.Written(var timestamp) ->
                    new HttpResponse(writtenStatus, lines(NO_LINE, timestamp, more), EMPTY);
            case QuorumFailed failed -> failed(failed, trace).with(more);
            case Outcome.TooOld tooOld -> tooOld(tooOld).with(more);
            case Outcome.VersionTaken taken -> versionTaken(taken).with(more);
            case Outcome.TooFarAhead ahead -> tooFarAhead(ahead).with(more);
            case Outcome.Unmet(var current) -> unmet(current).with(more);
            case Outcome.TooLong(int valueBytes) ->
                    Problem.response(
                                    413,
                                    "The value has "
                                            + valueBytes
                                            + " bytes; of up to 1 MiB the expiry can be changed.")
                            .with(more);
            case Outcome.Undecided undecided ->
                    undecided(undecided, writtenStatus == RENEWED, trace).with(more);
            case Outcome.NotJudged notJudged -> notJudged(notJudged).with(more);
            case Outcome.Refused(var reason, var retryAfterSeconds) ->
                    Problem.of(503, reason)
                            .header("Retry-After: " + Math.max(1, retryAfterSeconds))
                            .response()
                            .with(more);
        };
    }

    private static byte[] type(@Nullable String contentType) {
        return contentType == null
                ? BYTES
                : new HeaderLines()
                        .add(HeaderLines.line("Content-Type", contentType))
                        .add(OF_VALUES)
                        .add(SANDBOX)
                        .toBytes();
    }

    /** The header lines of nearly all answers, as the bytes to send. */
    private static HeaderLines lines(byte[] first, Timestamp version, HeaderLines more) {
        int textLength = version.textLength();
        return new HeaderLines(first.length + VERSION_LINES_BYTES + 2 * textLength + more.length())
                .add(first)
                .add(TAG)
                .add(QUOTE)
                .add(version, textLength, Explaining.VERSION_TEXT)
                .add(QUOTE)
                .add(VERSION)
                .add(version, textLength, Explaining.VERSION_TEXT)
                .add(more);
    }

    /** Adds when an entry expires, if it does. */
    static HeaderLines withExpiry(Entry entry, HeaderLines more) {
        return entry.expiresAtMillis() == Entry.NEVER
                ? more
                : new HeaderLines(EXPIRES_LINE_BYTES + more.length())
                        .add(EXPIRES)
                        .add(Long.toString(entry.expiresAtMillis()))
                        .add(more);
    }

    /** The answer if a condition does not hold: a 412 with a sentence, or a 304 without a body. */
    static HttpResponse ofEntry(int status, Entry entry) {
        HeaderLines expiry = withExpiry(entry, HeaderLines.NONE);
        if (status == 304) {
            String text = entry.timestamp().toString();
            List<String> lines = List.of(REVALIDATED.getFirst(), tag(text), versionLine(text));
            return new HttpResponse(status, lines, expiry, EMPTY);
        }
        Problem problem = Problem.of(status, "If-Match does not list the version of the entity.");
        return withVersion(entry.timestamp(), problem).response().with(expiry);
    }

    /** Adds the version of the current entity, or of the write with an unknown outcome. */
    private static Problem withVersion(Timestamp version, Problem problem) {
        String text = version.toString();
        return problem.with("version", text).header(tag(text)).header(versionLine(text));
    }

    private static String tag(String version) {
        return "ETag: \"" + version + "\"";
    }

    private static String versionLine(String version) {
        return "X-Quorate-Version: " + version;
    }

    private static HttpResponse missing(@Nullable Timestamp deletedAt) {
        if (deletedAt == null) {
            return Problem.response(404, "There is no entity with this key.");
        }
        return withVersion(deletedAt, Problem.of(404, "The entity with this key was deleted."))
                .response();
    }

    /** A failure of the cluster, with the trace id of the request, if any. */
    private static Problem timeout(String detail, @Nullable TraceParent trace) {
        Problem problem = Problem.of(504, detail);
        return trace == null ? problem : problem.with("trace", trace.id());
    }

    private static HttpResponse failed(QuorumFailed failed, @Nullable TraceParent trace) {
        Timestamp version = failed.timestamp();
        Problem problem;
        String retry;
        if (version == null) {
            problem = timeout("Fewer replicas answered than were asked for.", trace);
            retry =
                    "Nothing was changed. Try again, or use a smaller 'ack' for what fewer replicas"
                            + " have, which may be stale.";
        } else {
            String detail =
                    "Fewer replicas confirmed the write than were asked for. It is indeterminate: it"
                            + " may become visible now, later, or never.";
            problem =
                    withVersion(version, timeout(detail, trace))
                            .with("accepted", failed.accepted());
            retry = retry(version.toString(), failed.failures());
        }
        problem.with(json -> failures(failed.failures(), json));
        return explained(problem, failed.explanation()).with("retry", retry).response();
    }

    /**
     * A replica that refuses a version as too old keeps refusing it, and soon all others do too.
     */
    private static String retry(String version, List<ReplicaFailure> failures) {
        List<String> refusing = new ArrayList<>();
        for (ReplicaFailure failure : failures) {
            switch (failure.reason()) {
                case TOO_OLD -> refusing.add(failure.member());
                case VERSION_TAKEN -> {
                    return "Read the key first: this version was sent with another write as well, and"
                            + " it is not known which of the two stays. If this write is still to"
                            + " be made, send it without X-Quorate-Version.";
                }
                default -> {}
            }
        }
        if (refusing.isEmpty()) {
            return "Send the same request with the header X-Quorate-Version: "
                    + version
                    + ". That is idempotent, and supersedes nothing newer.";
        }
        return "Read the key first: this attempt, or an earlier one with this version, may have"
                + " been stored. If the write is still to be made, send it without"
                + " X-Quorate-Version. With this version it is refused by "
                + String.join(", ", refusing)
                + ", and soon by all replicas.";
    }

    private static HttpResponse tooOld(Outcome.TooOld tooOld) {
        return conflict(
                "The version is too old to be written: newer tombstones may have been dropped."
                        + " Nothing was written.",
                tooOld.timestamp(),
                tooOld.explanation(),
                "Not with this version. Read the key: an earlier attempt with it may have been"
                        + " stored. If the write is still to be made, send it without"
                        + " X-Quorate-Version.");
    }

    private static HttpResponse versionTaken(Outcome.VersionTaken taken) {
        return conflict(
                "Another write has this version: another value, or a delete. That one is"
                        + " unchanged.",
                taken.timestamp(),
                taken.explanation(),
                "Not with this version. Only the same request is sent again with it; a new write is"
                        + " sent without X-Quorate-Version.");
    }

    /** The version belongs to no entry, or to another one, so it is not an ETag. */
    private static HttpResponse conflict(
            String detail, Timestamp version, Explanation explanation, String retry) {
        Problem problem = Problem.of(409, detail).with("version", version.toString());
        return explained(problem, explanation).with("retry", retry).response();
    }

    private static HttpResponse unmet(@Nullable Timestamp current) {
        Problem problem = Problem.of(412, "The condition does not hold. Nothing was written.");
        return (current == null ? problem : withVersion(current, problem)).response();
    }

    private static HttpResponse undecided(
            Outcome.Undecided undecided, boolean isRenewal, @Nullable TraceParent trace) {
        String origin = undecided.origin().toString();
        boolean isForgotten =
                undecided.failures().stream().anyMatch(f -> f.reason() == Failure.TOO_OLD);
        String detail =
                "The conditional write is undecided: it may have been made, may be later, or never.";
        Problem problem =
                timeout(detail, trace)
                        .with("version", origin)
                        .with(json -> failures(undecided.failures(), json));
        return explained(problem, undecided.explanation())
                .with(
                        "retry",
                        isRenewal
                                ? "Read the key: X-Quorate-Expires is when its value expires. Send"
                                        + " the request again if that is not what it asked for."
                                : isForgotten
                                        ? "Read the key. The write was first sent so long ago that what"
                                                + " became of it may not be known any more."
                                        : "Send the same request with the header X-Quorate-Version: "
                                                + origin
                                                + ". It finds out what became of this one, and finishes"
                                                + " it; it is made once, however often it is sent.")
                .header(versionLine(origin))
                .response();
    }

    private static HttpResponse notJudged(Outcome.NotJudged notJudged) {
        Problem problem =
                Problem.of(
                                503,
                                "Fewer than a majority of the owners have answered whether the"
                                        + " condition holds. Nothing was changed.")
                        .with(json -> failures(notJudged.failures(), json));
        return explained(problem, notJudged.explanation())
                .with("retry", "Try again.")
                .header("Retry-After: 1")
                .response();
    }

    private static HttpResponse tooFarAhead(Outcome.TooFarAhead ahead) {
        return Problem.of(
                        409,
                        "The version is "
                                + ahead.aheadMillis()
                                + " ms ahead of this node's clock, and no clock of this cluster"
                                + " can have given it. Nothing was written.")
                .with("version", ahead.timestamp().toString())
                .with(
                        "retry",
                        "Not with this version. Send the write without X-Quorate-Version, or with"
                                + " one that an earlier answer gave.")
                .response();
    }

    /** Adds the explanation and the advice to a failure. */
    private static Problem explained(Problem problem, Explanation explanation) {
        return problem.with(json -> Explaining.putInto(json, explanation))
                .with("advice", Explaining.advice(explanation));
    }

    /** The answer for an unreadable range: 503 if only capacity was missing, otherwise 504. */
    public static HttpResponse nothingListed(QuorumFailed failed, @Nullable TraceParent trace) {
        boolean isRefused =
                !failed.failures().isEmpty()
                        && failed.failures().stream().allMatch(OutcomeAnswers::isOutOfRoom);
        String why = isRefused ? failed.failures().getFirst().detail() : "";
        return isRefused
                ? response(new Outcome.Refused(why, 1), 0, HeaderLines.NONE, null)
                : failed(failed, trace);
    }

    private static boolean isOutOfRoom(ReplicaFailure failure) {
        return failure.reason() == Failure.OVERLOADED || failure.reason() == Failure.STOPPING;
    }

    private static void failures(List<ReplicaFailure> failures, JsonWriter json) {
        json.beginArray("failures");
        for (ReplicaFailure failure : failures) {
            json.beginObject()
                    .field("replica", failure.member())
                    .field("reason", failure.reason().name().toLowerCase(Locale.ROOT))
                    .field("detail", failure.detail())
                    .endObject();
        }
        json.endArray();
    }
}
