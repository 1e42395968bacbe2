package dev.quorate.node.api;

import dev.quorate.node.coordinator.Explanation;
import dev.quorate.node.coordinator.Outcome;
import dev.quorate.node.coordinator.Outcome.QuorumFailed;
import dev.quorate.node.coordinator.Outcome.ReplicaFailure;
import dev.quorate.node.http.HeaderLines;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the outcome of an operation looks like to a client. */
final class OutcomeAnswers {

    private static final byte[] EMPTY = {};
    private static final byte[] NO_LINE = {};

    private static final byte[] BYTES =
            HeaderLines.line("Content-Type", "application/octet-stream");

    private static final byte[] TAG = HeaderLines.beginning("ETag");
    private static final byte[] QUOTE = {'"'};
    private static final byte[] VERSION = HeaderLines.beginning("X-Quorate-Version");

    private static final int VERSION_LINES_BYTES =
            TAG.length + 2 * QUOTE.length + VERSION.length + 2 * Timestamp.TEXT_LENGTH;

    private OutcomeAnswers() {}

    /**
     * The answer.
     *
     * @param writtenStatus the status of a write that succeeded: 201 or 202
     * @param more further header lines
     */
    static HttpResponse response(Outcome outcome, int writtenStatus, HeaderLines more) {
        return switch (outcome) {
            case Outcome.Found(var entry) ->
                    new HttpResponse(200, lines(BYTES, entry.timestamp(), more), entry.value());
            case Outcome.Missing(var deletedAt) -> missing(deletedAt).with(more);
            case Outcome.Written(var timestamp) ->
                    new HttpResponse(writtenStatus, lines(NO_LINE, timestamp, more), EMPTY);
            case QuorumFailed failed -> failed(failed).with(more);
            case Outcome.TooOld tooOld -> tooOld(tooOld).with(more);
            case Outcome.VersionTaken taken -> versionTaken(taken).with(more);
            case Outcome.TooFarAhead ahead -> tooFarAhead(ahead).with(more);
            case Outcome.Refused(var reason, var retryAfterSeconds) ->
                    Problem.of(503, reason)
                            .header("Retry-After: " + Math.max(1, retryAfterSeconds))
                            .response()
                            .with(more);
        };
    }

    /** The lines of nearly all answers, made as the bytes that are sent. */
    private static HeaderLines lines(byte[] first, Timestamp version, HeaderLines more) {
        return new HeaderLines(first.length + VERSION_LINES_BYTES + more.length())
                .add(first)
                .add(TAG)
                .add(QUOTE)
                .add(version, Timestamp.TEXT_LENGTH, Explaining.VERSION_TEXT)
                .add(QUOTE)
                .add(VERSION)
                .add(version, Timestamp.TEXT_LENGTH, Explaining.VERSION_TEXT)
                .add(more);
    }

    /** Of a condition that is in the way: without a body, but for the sentence of a 412. */
    static HttpResponse ofVersion(int status, Timestamp version) {
        String text = version.toString();
        if (status == 304) {
            return new HttpResponse(status, List.of(tag(text), versionLine(text)), EMPTY);
        }
        return Problem.of(status, "The entity's version is another than If-Match lists.")
                .with("version", text)
                .header(tag(text))
                .header(versionLine(text))
                .response();
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
        String version = deletedAt.toString();
        return Problem.of(404, "The entity with this key was deleted.")
                .with("version", version)
                .header(tag(version))
                .header(versionLine(version))
                .response();
    }

    static HttpResponse failed(QuorumFailed failed) {
        Timestamp timestamp = failed.timestamp();
        if (timestamp == null) {
            return explained(
                            Problem.of(504, "Fewer replicas answered than were asked for.")
                                    .withJson("failures", failures(failed.failures())),
                            failed.explanation())
                    .with(
                            "retry",
                            "Nothing was changed by this. Ask again, or with a smaller 'ack' for"
                                    + " what fewer replicas know, which may be old.")
                    .response();
        }
        String version = timestamp.toString();
        Problem problem =
                Problem.of(
                                504,
                                "Fewer replicas confirmed the write than were asked for. It is"
                                        + " indeterminate: it may be seen now, later, or never.")
                        .with("version", version)
                        .with("accepted", failed.accepted())
                        .withJson("failures", failures(failed.failures()));
        return explained(problem, failed.explanation())
                .with("retry", retry(version, failed.failures()))
                .header(tag(version))
                .header(versionLine(version))
                .response();
    }

    /** A replica that finds it too old goes on doing so, and the others soon will. */
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
                    + ". That is idempotent, and hides nothing newer.";
        }
        return "Read the key first: this attempt, or an earlier one with this version, may have"
                + " been stored. If the write is still to be made, send it without"
                + " X-Quorate-Version. With this version it goes on being refused by "
                + String.join(", ", refusing)
                + ", and soon by all replicas.";
    }

    /** It names no entry, so there is no tag. */
    private static HttpResponse tooOld(Outcome.TooOld tooOld) {
        Problem problem =
                Problem.of(
                                409,
                                "The version is too old to be written: what was deleted since may be"
                                        + " forgotten. Nothing was written by this.")
                        .with("version", tooOld.timestamp().toString());
        return explained(problem, tooOld.explanation())
                .with(
                        "retry",
                        "Not with this version. Read the key: an earlier attempt with it may have"
                                + " been stored. If the write is still to be made, send it without"
                                + " X-Quorate-Version.")
                .response();
    }

    /** The version is another entry's, so there is no tag. */
    private static HttpResponse versionTaken(Outcome.VersionTaken taken) {
        Problem problem =
                Problem.of(
                                409,
                                "The version is another write's: of another value, or a delete. That"
                                        + " one is kept.")
                        .with("version", taken.timestamp().toString());
        return explained(problem, taken.explanation())
                .with(
                        "retry",
                        "Not with this version. Only the same request is sent again with it; a new"
                                + " write is sent without X-Quorate-Version.")
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

    /** How it came to this, and what there is to do, with every failure. */
    private static Problem explained(Problem problem, Explanation explanation) {
        return problem.withJson("explanation", Explaining.json(explanation))
                .with("advice", Explaining.advice(explanation));
    }

    /** Of a range of which nothing could be read: a 503 where there was only no room for it. */
    static HttpResponse nothingListed(QuorumFailed failed) {
        boolean isRefused =
                !failed.failures().isEmpty()
                        && failed.failures().stream().allMatch(OutcomeAnswers::isWantOfRoom);
        String why = isRefused ? failed.failures().getFirst().detail() : "";
        return isRefused
                ? response(new Outcome.Refused(why, 1), 0, HeaderLines.NONE)
                : failed(failed);
    }

    private static boolean isWantOfRoom(ReplicaFailure failure) {
        return failure.reason() == Failure.OVERLOADED || failure.reason() == Failure.STOPPING;
    }

    private static String failures(List<ReplicaFailure> failures) {
        StringBuilder json = new StringBuilder("[");
        for (ReplicaFailure failure : failures) {
            json.append(json.length() > 1 ? ",{\"replica\":" : "{\"replica\":");
            Problem.appendQuoted(json, failure.member());
            json.append(",\"reason\":");
            Problem.appendQuoted(json, failure.reason().name().toLowerCase(Locale.ROOT));
            json.append(",\"detail\":");
            Problem.appendQuoted(json, failure.detail());
            json.append('}');
        }
        return json.append(']').toString();
    }
}
