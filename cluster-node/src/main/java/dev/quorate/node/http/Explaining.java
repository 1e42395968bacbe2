package dev.quorate.node.http;

import dev.quorate.node.coordinator.Explanation;
import dev.quorate.node.coordinator.Explanation.Reply;
import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.node.coordinator.Explanation.Told;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What an explanation looks like to a client: header lines, so that the body stays what it is and
 * HEAD has them too; and JSON, in the body of an answer that failed. Pure.
 */
final class Explaining {

    private static final String REASON_HEADER = "X-Quorate-Explain: ";
    private static final String REPLICA_HEADER = "X-Quorate-Replica: ";

    /** Longer heads are refused by some clients and proxies. */
    private static final int MOST_HEADER_BYTES = 6 << 10;

    private static final int MOST_DETAIL_CHARS = 160;

    private Explaining() {}

    /** Writes fields of one replica's part, as a header or as JSON. */
    private interface Fields {
        Fields text(String name, String value);

        Fields number(String name, String value);
    }

    // ---- As headers.

    /** Adds one line for each reason, and one for each replica of each round. */
    static void addHeaders(Explanation explanation, List<String> headers) {
        int bytes = 0;
        for (String reason : explanation.reasons()) {
            String line = REASON_HEADER + visible(reason);
            bytes += line.length();
            headers.add(line);
        }
        int leftOut = 0;
        for (Round round : explanation.rounds()) {
            for (Reply reply : round.replies()) {
                String line = line(round, reply);
                if (bytes + line.length() > MOST_HEADER_BYTES) {
                    leftOut++;
                } else {
                    bytes += line.length();
                    headers.add(line);
                }
            }
        }
        if (leftOut > 0) {
            headers.add(REPLICA_HEADER + "and " + leftOut + " more, for which there is no room");
        }
    }

    /** The line for an operation that asked nobody. */
    static String nobodyAsked(String why) {
        return REASON_HEADER + visible("no replica was asked: " + why);
    }

    private static String line(Round round, Reply reply) {
        StringBuilder line = new StringBuilder(160);
        line.append(REPLICA_HEADER).append(visible(reply.member()));
        fields(
                round,
                reply,
                new Fields() {
                    @Override
                    public Fields text(String name, String value) {
                        boolean isWord =
                                !value.isEmpty()
                                        && value.indexOf(' ') < 0
                                        && value.indexOf(';') < 0;
                        line.append("; ").append(name).append(isWord ? "=" : "=\"");
                        line.append(visible(value.replace('"', '\'')));
                        line.append(isWord ? "" : "\"");
                        return this;
                    }

                    @Override
                    public Fields number(String name, String value) {
                        line.append("; ").append(name).append('=').append(value);
                        return this;
                    }
                });
        return line.toString();
    }

    /** What may stand in a header: a message of a disk or a peer may hold anything. */
    private static String visible(String text) {
        int length = Math.min(text.length(), MOST_HEADER_BYTES / 4);
        StringBuilder visible = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            visible.append(c >= ' ' && c <= '~' ? c : '?');
        }
        return visible.toString();
    }

    // ---- As JSON.

    static String json(Explanation explanation) {
        StringBuilder json = new StringBuilder(512).append("{\"reasons\":[");
        for (int i = 0; i < explanation.reasons().size(); i++) {
            json.append(i == 0 ? "" : ",");
            Problem.appendQuoted(json, explanation.reasons().get(i));
        }
        json.append("],\"replicas\":[");
        boolean first = true;
        for (Round round : explanation.rounds()) {
            for (Reply reply : round.replies()) {
                json.append(first ? "{\"replica\":" : ",{\"replica\":");
                first = false;
                Problem.appendQuoted(json, reply.member());
                fields(round, reply, new JsonFields(json));
                json.append('}');
            }
        }
        return json.append("]}").toString();
    }

    private record JsonFields(StringBuilder json) implements Fields {
        @Override
        public Fields text(String name, String value) {
            json.append(",\"").append(name).append("\":");
            Problem.appendQuoted(json, value);
            return this;
        }

        @Override
        public Fields number(String name, String value) {
            json.append(",\"").append(name).append("\":").append(value);
            return this;
        }
    }

    // ---- What both say.

    private static void fields(Round round, Reply reply, Fields fields) {
        fields.text("asked", round.purpose().name().toLowerCase(Locale.ROOT));
        switch (reply.told()) {
            case Told.Holds holds -> {
                fields.text("answer", holds.tombstone() ? "tombstone" : "value")
                        .text("version", holds.version().toString())
                        .number("from", Integer.toString(holds.from()));
                if (!holds.tombstone()) {
                    fields.number("bytes", Integer.toString(holds.valueBytes()));
                }
                if (holds.expiresAtMillis() != Entry.NEVER) {
                    fields.text("expires", time(holds.expiresAtMillis()));
                }
            }
            case Told.Keeps keeps -> {
                fields.text("answer", "stored").text("version", String.valueOf(round.version()));
                if (!keeps.newest().equals(round.version())) {
                    fields.text("holds", keeps.newest().toString());
                }
            }
            case Told.Listed listed ->
                    fields.text("answer", "entries")
                            .number("entries", Integer.toString(listed.entries()));
            case Told.Failed failed ->
                    fields.text("answer", "failed")
                            .text("reason", failed.reason().name().toLowerCase(Locale.ROOT))
                            .text("detail", cut(failed.detail()));
            case Told.Awaited awaited -> fields.text("answer", "not-awaited");
            case Told.Nothing nothing -> fields.text("answer", "absent");
            case Told.NotAsked notAsked -> fields.text("answer", "not-asked");
        }
        if (reply.micros() != Reply.NO_TIME) {
            fields.number("millis", millis(reply.micros()));
        }
    }

    private static String cut(String detail) {
        return detail.length() <= MOST_DETAIL_CHARS
                ? detail
                : detail.substring(0, MOST_DETAIL_CHARS) + "...";
    }

    /** The versions and expiries that others send may be any number. */
    static String time(long wallMillis) {
        return Instant.ofEpochMilli(wallMillis).toString();
    }

    private static String millis(int micros) {
        String digits = Integer.toString(1_000 + micros % 1_000);
        return micros / 1_000 + "." + digits.substring(1);
    }

    // ---- What to do.

    /** One sentence for each kind of trouble, naming the replicas that have it. */
    static List<String> advice(Explanation explanation) {
        Map<Failure, List<String>> troubles = new EnumMap<>(Failure.class);
        for (Round round : explanation.rounds()) {
            for (Reply reply : round.replies()) {
                if (reply.told() instanceof Told.Failed failed) {
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
            case OVERLOADED -> "has too much to do. Send less at once, or try again soon.";
            case CORRUPT ->
                    "found damage on its disk. Its log says where; stop it and run"
                            + " './quorate verify' on its data directory.";
            case DISK_FULL -> "its disk is full. Make room there.";
            case FAILED -> "failed. The detail or its log says why.";
            case REFUSED ->
                    "refuses: clocks, topologies, secrets or programs differ. The detail says"
                            + " which.";
            case STOPPING -> "is stopping. Start it again.";
            case NOT_ASKED -> "was not asked, since the others had decided.";
            case TOO_OLD ->
                    "takes no write as old as this one. Look at what the key holds, and if the write is"
                            + " still to be made, send it without a version.";
            case REBUILDING ->
                    "lost its disk, and does not vote until it has what the others have. Its log says how"
                            + " far it is.";
        };
    }
}
