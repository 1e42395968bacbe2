package dev.quorate.node.api.answer;

import dev.quorate.node.http.HeaderLines;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Explanation.Reply;
import dev.quorate.router.coordinator.operation.Explanation.Result;
import dev.quorate.router.coordinator.operation.Explanation.Round;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes explanations for clients: as header lines, so that the body is unchanged and HEAD has them
 * too, and as JSON in the body of a failure. Pure.
 */
final class Explaining {

    static final HeaderLines.Writer<Timestamp> VERSION_TEXT = Timestamp::putText;

    private static final byte[] REASON_LINE = HeaderLines.beginning("X-Quorate-Explain");
    private static final byte[] REPLICA_LINE = HeaderLines.beginning("X-Quorate-Replica");

    /** Some clients and proxies refuse longer heads. */
    private static final int MAX_HEADER_BYTES = 6 << 10;

    private static final int MAX_DETAIL_CHARS = 160;

    /** Shortest queueing time that is shown. */
    private static final int LEAST_QUEUED_MICROS = 1_000;

    private Explaining() {}

    /**
     * A property of a replica's reply.
     *
     * @param value a number, {@link Millis}, a version, or a text
     */
    private record Property(String name, Object value) {}

    private record Millis(int micros) {}

    // ---- As headers.

    /**
     * One line for each reason, and one for each replica of each round. The purpose of a round is
     * included if there are several: a single round is the client's operation.
     */
    static HeaderLines headers(Explanation explanation) {
        HeaderLines lines = new HeaderLines();
        for (String reason : explanation.reasons()) {
            lines.add(REASON_LINE).add(bounded(reason));
        }
        boolean showsPurpose = explanation.rounds().size() > 1;
        int leftOut = 0;
        for (Round round : explanation.rounds()) {
            for (Reply reply : round.replies()) {
                int before = lines.length();
                lines.add(REPLICA_LINE).add(bounded(reply.member()));
                if (showsPurpose) {
                    add(asked(round), lines);
                }
                properties(round, reply).forEach(each -> add(each, lines));
                if (lines.length() > MAX_HEADER_BYTES) {
                    lines.cutTo(before);
                    leftOut++;
                }
            }
        }
        if (leftOut > 0) {
            lines.add(REPLICA_LINE).add("and " + leftOut + " more, for which there is no room");
        }
        return lines;
    }

    /** The same as one line of visible ASCII, for a log. */
    static String line(Explanation explanation) {
        String text = new String(headers(explanation).toBytes(), StandardCharsets.US_ASCII);
        return text.lines()
                .filter(line -> !line.isEmpty())
                .map(line -> line.substring(line.indexOf(':') + 2).replace('"', '\''))
                .collect(Collectors.joining(" | "));
    }

    static HeaderLines nobodyAsked(String why) {
        return new HeaderLines().add(REASON_LINE).add(bounded("no replica was asked: " + why));
    }

    private static String bounded(String text) {
        int most = MAX_HEADER_BYTES / 4;
        return text.length() <= most ? text : text.substring(0, most);
    }

    private static void add(Property property, HeaderLines lines) {
        lines.add("; ").add(property.name()).add("=");
        switch (property.value()) {
            case Integer number -> lines.add(number, 1);
            case Millis(int micros) -> lines.add(micros / 1_000, 1).add(".").add(micros % 1_000, 3);
            case Timestamp version -> lines.add(version, version.textLength(), VERSION_TEXT);
            case Object text -> addText(bounded(text.toString()).replace('"', '\''), lines);
        }
    }

    private static void addText(String text, HeaderLines lines) {
        boolean isWord = !text.isEmpty() && text.indexOf(' ') < 0 && text.indexOf(';') < 0;
        if (isWord) {
            lines.add(text);
        } else {
            lines.add("\"").add(text).add("\"");
        }
    }

    // ---- As JSON.

    static void putInto(JsonWriter json, Explanation explanation) {
        json.beginObject("explanation").field("reasons", explanation.reasons());
        json.beginArray("replicas");
        for (Round round : explanation.rounds()) {
            for (Reply reply : round.replies()) {
                json.beginObject().field("replica", reply.member());
                put(asked(round), json);
                properties(round, reply).forEach(each -> put(each, json));
                json.endObject();
            }
        }
        json.endArray().endObject();
    }

    private static void put(Property property, JsonWriter json) {
        switch (property.value()) {
            case Integer number -> json.field(property.name(), number);
            case Millis(int micros) -> json.millisField(property.name(), micros);
            case Object text -> json.field(property.name(), text.toString());
        }
    }

    // ---- Both.

    private static Property asked(Round round) {
        return new Property("asked", round.purpose().name().toLowerCase(Locale.ROOT));
    }

    private static List<Property> properties(Round round, Reply reply) {
        List<Property> properties = new ArrayList<>();
        addResult(
                round.version(),
                reply.result(),
                (name, value) -> properties.add(new Property(name, value)));
        if (reply.micros() != Reply.NO_TIME) {
            properties.add(new Property("millis", new Millis(reply.micros())));
        }
        if (reply.queuedMicros() >= LEAST_QUEUED_MICROS) {
            properties.add(new Property("queued", new Millis(reply.queuedMicros())));
        }
        return properties;
    }

    /**
     * Adds the properties of a result.
     *
     * @param sent the version of the write; null without one
     */
    private static void addResult(
            @Nullable Timestamp sent, Result result, BiConsumer<String, Object> properties) {
        switch (result) {
            case Result.Found found -> {
                properties.accept("answer", found.tombstone() ? "tombstone" : "value");
                properties.accept("version", found.version());
                properties.accept("from", found.from());
                if (!found.tombstone()) {
                    properties.accept("bytes", found.valueBytes());
                }
                if (found.expiresAtMillis() != Entry.NEVER) {
                    properties.accept("expires", Timestamp.time(found.expiresAtMillis()));
                }
            }
            case Result.Stored(Timestamp newest) -> {
                properties.accept("answer", "stored");
                if (sent != null) {
                    properties.accept("version", sent);
                }
                if (!newest.equals(sent)) {
                    properties.accept("holds", newest);
                }
            }
            case Result.Listed(int entries) -> {
                properties.accept("answer", "entries");
                properties.accept("entries", entries);
            }
            case Result.Accepted accepted -> properties.accept("answer", "accepted");
            case Result.Declined(String detail) -> {
                properties.accept("answer", "declined");
                properties.accept("detail", detail);
            }
            case Result.Failed(Failure reason, String detail) -> {
                properties.accept("answer", "failed");
                properties.accept("reason", reason.name().toLowerCase(Locale.ROOT));
                properties.accept("detail", cut(detail));
            }
            case Result.NotAwaited notAwaited -> properties.accept("answer", "not-awaited");
            case Result.Absent absent -> properties.accept("answer", "absent");
            case Result.NotAsked notAsked -> properties.accept("answer", "not-asked");
        }
    }

    private static String cut(String detail) {
        return detail.length() <= MAX_DETAIL_CHARS
                ? detail
                : detail.substring(0, MAX_DETAIL_CHARS) + "...";
    }

    // ---- Advice.

    /** One sentence for each kind of failure, with the names of its replicas. */
    static List<String> advice(Explanation explanation) {
        Map<Failure, List<String>> troubles = new EnumMap<>(Failure.class);
        for (Round round : explanation.rounds()) {
            for (Reply reply : round.replies()) {
                if (reply.result() instanceof Result.Failed failed) {
                    List<String> names =
                            troubles.computeIfAbsent(failed.reason(), r -> new ArrayList<>());
                    if (!names.contains(reply.member())) {
                        names.add(reply.member());
                    }
                }
            }
        }
        List<String> advice = new ArrayList<>();
        troubles.forEach(
                (reason, names) -> advice.add(String.join(", ", names) + ": " + advice(reason)));
        return advice;
    }

    private static String advice(Failure reason) {
        return switch (reason) {
            case TIMEOUT -> "no answer in time. Is it overloaded, or does it hang? Try again.";
            case UNREACHABLE, BREAKER_OPEN ->
                    "cannot be reached. Is it running, and its peer port open to this node?";
            case OVERLOADED -> "is overloaded. Send less at once, or try again soon.";
            case CORRUPT ->
                    "found damage on its disk. Its log says where; stop it and run"
                            + " './quorate verify' on its data directory.";
            case DISK_FULL -> "its disk is full. Make room there.";
            case FAILED -> "failed. The detail or its log says why.";
            case REFUSED ->
                    "refuses: clocks, topologies, secrets or versions differ. The detail says"
                            + " which.";
            case STALE -> "learned another topology meanwhile. Try again.";
            case STOPPING -> "is stopping. Start it again.";
            case NOT_ASKED -> "was not asked, since the others had decided.";
            case TOO_OLD ->
                    "refuses a write as old as this one. Read the key first; if the write is"
                            + " still to be made, send it without a version.";
            case VERSION_TAKEN ->
                    "has another value, or a delete, under this version. Send the write without a"
                            + " version.";
            case REBUILDING ->
                    "lost its disk, and does not vote until it is rebuilt. Its log shows the progress.";
        };
    }
}
