package dev.quorate.node.api;

import dev.quorate.node.coordinator.Explanation;
import dev.quorate.node.coordinator.Explanation.Purpose;
import dev.quorate.node.coordinator.Explanation.Reply;
import dev.quorate.node.coordinator.Explanation.Result;
import dev.quorate.node.coordinator.Explanation.Round;
import dev.quorate.node.http.HeaderLines;
import dev.quorate.node.http.JsonWriter;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes explanations for clients: as header lines, so that the body is unchanged and HEAD has them
 * too; and as JSON in the body of a failure. Pure.
 */
final class Explaining {

    /** The text of a version, in a header line. */
    static final HeaderLines.Writer<Timestamp> VERSION_TEXT = Timestamp::putText;

    private static final byte[] REASON_LINE = HeaderLines.beginning("X-Quorate-Explain");
    private static final byte[] REPLICA_LINE = HeaderLines.beginning("X-Quorate-Replica");
    private static final byte[] POINT = {'.'};
    private static final byte[] QUOTE = {'"'};

    /** Longer heads are refused by some clients and proxies. */
    private static final int MAX_HEADER_BYTES = 6 << 10;

    private static final int MAX_DETAIL_CHARS = 160;

    /** A wait that is worth a word. */
    private static final int LEAST_QUEUED_MICROS = 1_000;

    private Explaining() {}

    /** One property of a replica's part, by its name. */
    private static final class Field {

        static final Field ASKED = new Field("asked");
        static final Field VERSION = new Field("version");
        static final Field FROM = new Field("from");
        static final Field BYTES = new Field("bytes");
        static final Field EXPIRES = new Field("expires");
        static final Field HOLDS = new Field("holds");
        static final Field ENTRIES = new Field("entries");
        static final Field REASON = new Field("reason");
        static final Field DETAIL = new Field("detail");
        static final Field MILLIS = new Field("millis");
        static final Field QUEUED = new Field("queued");

        private final byte[] inHeader;
        private final String inJson;

        private Field(String name) {
            inHeader = ("; " + name + "=").getBytes(StandardCharsets.US_ASCII);
            inJson = name;
        }
    }

    /** What came of asking a replica, in one word. */
    private static final class Answer {

        static final Answer VALUE = new Answer("value");
        static final Answer TOMBSTONE = new Answer("tombstone");
        static final Answer STORED = new Answer("stored");
        static final Answer ENTRIES = new Answer("entries");
        static final Answer ACCEPTED = new Answer("accepted");
        static final Answer DECLINED = new Answer("declined");
        static final Answer FAILED = new Answer("failed");
        static final Answer NOT_AWAITED = new Answer("not-awaited");
        static final Answer ABSENT = new Answer("absent");
        static final Answer NOT_ASKED = new Answer("not-asked");

        private final byte[] inHeader;
        private final String inJson;

        private Answer(String word) {
            inHeader = ("; answer=" + word).getBytes(StandardCharsets.US_ASCII);
            inJson = word;
        }
    }

    /** Writes fields of one replica's part, as a header or as JSON. */
    private interface Fields {

        void answer(Answer answer);

        /** Any text. */
        void text(Field field, String value);

        /** Text that is one word of letters, digits and dashes. */
        void word(Field field, String value);

        void version(Field field, Timestamp value);

        /** Not negative. */
        void number(Field field, int value);

        /** Microseconds as milliseconds. */
        void millis(Field field, int micros);
    }

    // ---- As headers.

    /**
     * One line for each reason, and one for each replica of each round. The purpose of a round is
     * included where there are several: a single one is what the client asked for.
     */
    static HeaderLines headers(Explanation explanation) {
        HeaderLines lines = new HeaderLines();
        for (String reason : explanation.reasons()) {
            lines.add(REASON_LINE).add(bounded(reason));
        }
        HeaderFields fields = new HeaderFields(lines);
        boolean showsPurpose = explanation.rounds().size() > 1;
        int leftOut = 0;
        for (Round round : explanation.rounds()) {
            for (Reply reply : round.replies()) {
                int before = lines.length();
                lines.add(REPLICA_LINE).add(bounded(reply.member()));
                if (showsPurpose) {
                    fields.word(Field.ASKED, word(round.purpose()));
                }
                fields(round, reply, fields);
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

    /** The line for an operation that asked no replica. */
    static HeaderLines nobodyAsked(String why) {
        return new HeaderLines().add(REASON_LINE).add(bounded("no replica was asked: " + why));
    }

    private static String bounded(String text) {
        int most = MAX_HEADER_BYTES / 4;
        return text.length() <= most ? text : text.substring(0, most);
    }

    private record HeaderFields(HeaderLines lines) implements Fields {
        @Override
        public void answer(Answer answer) {
            lines.add(answer.inHeader);
        }

        @Override
        public void text(Field field, String value) {
            boolean isWord = !value.isEmpty() && value.indexOf(' ') < 0 && value.indexOf(';') < 0;
            String quotable = bounded(value).replace('"', '\'');
            if (isWord) {
                word(field, quotable);
            } else {
                lines.add(field.inHeader).add(QUOTE).add(quotable).add(QUOTE);
            }
        }

        @Override
        public void word(Field field, String value) {
            lines.add(field.inHeader).add(value);
        }

        @Override
        public void version(Field field, Timestamp value) {
            lines.add(field.inHeader).add(value, value.textLength(), VERSION_TEXT);
        }

        @Override
        public void number(Field field, int value) {
            lines.add(field.inHeader).add(value, 1);
        }

        @Override
        public void millis(Field field, int micros) {
            lines.add(field.inHeader).add(micros / 1_000, 1).add(POINT).add(micros % 1_000, 3);
        }
    }

    // ---- As JSON.

    /** Writes the member {@code explanation}. */
    static void putInto(JsonWriter json, Explanation explanation) {
        json.beginObject("explanation").field("reasons", explanation.reasons());
        json.beginArray("replicas");
        JsonFields fields = new JsonFields(json);
        for (Round round : explanation.rounds()) {
            for (Reply reply : round.replies()) {
                json.beginObject().field("replica", reply.member());
                fields.word(Field.ASKED, word(round.purpose()));
                fields(round, reply, fields);
                json.endObject();
            }
        }
        json.endArray().endObject();
    }

    private record JsonFields(JsonWriter json) implements Fields {
        @Override
        public void answer(Answer answer) {
            json.field("answer", answer.inJson);
        }

        @Override
        public void text(Field field, String value) {
            json.field(field.inJson, value);
        }

        @Override
        public void word(Field field, String value) {
            text(field, value);
        }

        @Override
        public void version(Field field, Timestamp value) {
            text(field, value.toString());
        }

        @Override
        public void number(Field field, int value) {
            json.field(field.inJson, value);
        }

        @Override
        public void millis(Field field, int micros) {
            json.millisField(field.inJson, micros);
        }
    }

    // ---- Both.

    private static void fields(Round round, Reply reply, Fields fields) {
        switch (reply.result()) {
            case Result.Found holds -> {
                fields.answer(holds.tombstone() ? Answer.TOMBSTONE : Answer.VALUE);
                fields.version(Field.VERSION, holds.version());
                fields.number(Field.FROM, holds.from());
                if (!holds.tombstone()) {
                    fields.number(Field.BYTES, holds.valueBytes());
                }
                if (holds.expiresAtMillis() != Entry.NEVER) {
                    fields.word(Field.EXPIRES, time(holds.expiresAtMillis()));
                }
            }
            case Result.Stored keeps -> {
                Timestamp sent = round.version();
                fields.answer(Answer.STORED);
                if (sent != null) {
                    fields.version(Field.VERSION, sent);
                }
                if (!keeps.newest().equals(sent)) {
                    fields.version(Field.HOLDS, keeps.newest());
                }
            }
            case Result.Listed listed -> {
                fields.answer(Answer.ENTRIES);
                fields.number(Field.ENTRIES, listed.entries());
            }
            case Result.Accepted accepted -> fields.answer(Answer.ACCEPTED);
            case Result.Declined declined -> {
                fields.answer(Answer.DECLINED);
                fields.text(Field.DETAIL, declined.detail());
            }
            case Result.Failed failed -> {
                fields.answer(Answer.FAILED);
                fields.word(Field.REASON, failed.reason().name().toLowerCase(Locale.ROOT));
                fields.text(Field.DETAIL, cut(failed.detail()));
            }
            case Result.NotAwaited awaited -> fields.answer(Answer.NOT_AWAITED);
            case Result.Absent nothing -> fields.answer(Answer.ABSENT);
            case Result.NotAsked notAsked -> fields.answer(Answer.NOT_ASKED);
        }
        if (reply.micros() != Reply.NO_TIME) {
            fields.millis(Field.MILLIS, reply.micros());
        }
        if (reply.queuedMicros() >= LEAST_QUEUED_MICROS) {
            fields.millis(Field.QUEUED, reply.queuedMicros());
        }
    }

    private static String word(Purpose purpose) {
        return switch (purpose) {
            case READ -> "read";
            case WRITE -> "write";
            case REPAIR -> "repair";
            case RANGE -> "range";
            case PREPARE -> "prepare";
            case ACCEPT -> "accept";
        };
    }

    private static String cut(String detail) {
        return detail.length() <= MAX_DETAIL_CHARS
                ? detail
                : detail.substring(0, MAX_DETAIL_CHARS) + "...";
    }

    /** Versions and expiries that peers send may be any number. */
    static String time(long wallMillis) {
        return Instant.ofEpochMilli(wallMillis).toString();
    }

    // ---- What to do.

    /** One sentence for each kind of trouble, naming the replicas that have it. */
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
