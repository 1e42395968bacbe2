package dev.quorate.node.admin;

import dev.quorate.node.http.Percent;
import dev.quorate.node.http.Problem;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.node.inquiry.KeyReport.MemberReport;
import dev.quorate.node.message.HeldKey;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.format.FileNames;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is known of a key in the whole cluster, for programs and for people. Pure. */
final class WhyPage {

    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int GATEWAY_TIMEOUT = 504;

    private static final List<String> TITLES =
            List.of("NODE", "OWNER", "VERSION", "TIME", "WHAT", "FROM", "BYTES", "WHERE");

    private WhyPage() {}

    /**
     * 200 if anybody holds anything of the key, 404 if nobody does, 504 if nobody who answered does
     * and others may.
     */
    static int status(KeyReport report) {
        if (report.isFound()) {
            return OK;
        }
        return report.isWhole() ? NOT_FOUND : GATEWAY_TIMEOUT;
    }

    // ---- For people.

    static String text(KeyReport report) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(TITLES);
        for (MemberReport member : report.members()) {
            addRows(report, member, rows);
        }
        StringBuilder text = new StringBuilder(1_024);
        text.append("Key ").append(Percent.encode(report.key())).append('\n').append('\n');
        appendTable(rows, text);
        text.append('\n');
        for (String conclusion : report.conclusions()) {
            text.append("- ").append(conclusion).append('\n');
        }
        return text.toString();
    }

    private static void addRows(KeyReport report, MemberReport member, List<List<String>> rows) {
        String rank = member.isOwner() ? Integer.toString(member.rank()) : "no";
        HeldKey held = member.held();
        Failed failed = member.failed();
        if (held == null || failed != null) {
            String why = failed == null ? "" : failed.reason() + ": " + failed.detail();
            rows.add(List.of(member.name(), rank, "no answer", "", "", "", "", visible(why)));
            return;
        }
        for (Held entry : held.entries()) {
            rows.add(
                    List.of(
                            member.name(),
                            rank,
                            entry.timestamp().toString(),
                            time(entry.timestamp().wallMillis())
                                    + (report.isAhead(held, entry) ? " AHEAD" : ""),
                            what(held, entry),
                            entry.from() == 0 ? "?" : Integer.toString(entry.from()),
                            entry.isTombstone() ? "" : Integer.toString(entry.valueBytes()),
                            place(entry.place())));
        }
        for (Unread unread : held.unread()) {
            rows.add(
                    List.of(
                            member.name(),
                            rank,
                            "unreadable",
                            "",
                            "damage",
                            "",
                            "",
                            place(unread.place()) + ": " + visible(unread.why())));
        }
        if (held.entries().isEmpty() && held.unread().isEmpty()) {
            rows.add(List.of(member.name(), rank, "nothing", "", "", "", "", ""));
        }
    }

    private static String what(HeldKey held, Held entry) {
        if (entry.isTombstone()) {
            return "tombstone";
        }
        if (entry.expiresAtMillis() == Entry.NEVER) {
            return "value";
        }
        boolean isExpired = entry.expiresAtMillis() <= held.wallMillis();
        return (isExpired ? "value, expired " : "value, expires ") + time(entry.expiresAtMillis());
    }

    private static String place(Place place) {
        return switch (place) {
            case Place.Active active -> "memtable, log";
            case Place.Sealed sealed -> "sealed memtable, log";
            case Place.Table(long number, int level) ->
                    "table " + FileNames.table(number) + ", level " + level;
        };
    }

    private static void appendTable(List<List<String>> rows, StringBuilder text) {
        int[] widths = new int[TITLES.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = row.get(i);
                line.append(cell).append(" ".repeat(widths[i] - cell.length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
    }

    /** What comes from peers and disks must not move a terminal's cursor. */
    private static String visible(String text) {
        StringBuilder visible = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            visible.append(c >= ' ' && c <= '~' ? c : '?');
        }
        return visible.toString();
    }

    private static String time(long wallMillis) {
        return Instant.ofEpochMilli(wallMillis).toString();
    }

    private static String reason(Failed failed) {
        return failed.reason().name().toLowerCase(Locale.ROOT);
    }

    // ---- For programs.

    static String json(KeyReport report) {
        StringBuilder json = new StringBuilder(1_024);
        json.append("{\"id\":");
        Problem.appendQuoted(json, Percent.encode(report.key()));
        json.append(",\"found\":").append(report.isFound());
        json.append(",\"whole\":").append(report.isWhole());
        json.append(",\"from\":").append(report.from());
        json.append(",\"members\":[");
        String comma = "";
        for (MemberReport member : report.members()) {
            json.append(comma);
            append(report, member, json);
            comma = ",";
        }
        json.append("],\"conclusions\":[");
        comma = "";
        for (String conclusion : report.conclusions()) {
            json.append(comma);
            Problem.appendQuoted(json, conclusion);
            comma = ",";
        }
        return json.append("]}\n").toString();
    }

    private static void append(KeyReport report, MemberReport member, StringBuilder json) {
        json.append("{\"member\":");
        Problem.appendQuoted(json, member.name());
        json.append(",\"rank\":").append(member.rank());
        json.append(",\"owner\":").append(member.isOwner());
        Failed failed = member.failed();
        if (failed != null) {
            field("reason", reason(failed), json);
            field("detail", failed.detail(), json);
        }
        HeldKey held = member.held();
        if (held != null) {
            field("clock", time(held.wallMillis()), json);
            json.append(",\"votes\":").append(held.state().condition().votes());
            moment("completeUpTo", held.state().completeMillis(), json);
            moment("settledUpTo", held.gcWatermarkMillis(), json);
            json.append(",\"entries\":[");
            String comma = "";
            for (Held entry : held.entries()) {
                json.append(comma);
                append(report.isAhead(held, entry), entry, json);
                comma = ",";
            }
            json.append("],\"unreadable\":[");
            comma = "";
            for (Unread unread : held.unread()) {
                json.append(comma).append("{\"newest\":");
                Problem.appendQuoted(json, unread.newest().toString());
                appendPlace(unread.place(), json);
                field("why", unread.why(), json);
                json.append('}');
                comma = ",";
            }
            json.append("],\"hints\":[");
            comma = "";
            for (HeldKey.Hint hint : held.hints()) {
                json.append(comma).append("{\"for\":");
                Problem.appendQuoted(json, report.nameOf(hint.member()));
                field("version", hint.timestamp().toString(), json);
                json.append('}');
                comma = ",";
            }
            json.append(']');
        }
        json.append('}');
    }

    private static void append(boolean isAhead, Held entry, StringBuilder json) {
        json.append("{\"version\":");
        Problem.appendQuoted(json, entry.timestamp().toString());
        field("time", time(entry.timestamp().wallMillis()), json);
        json.append(",\"ahead\":").append(isAhead);
        json.append(",\"tombstone\":").append(entry.isTombstone());
        json.append(",\"from\":").append(entry.from());
        json.append(",\"bytes\":").append(entry.valueBytes());
        if (entry.expiresAtMillis() != Entry.NEVER) {
            field("expires", time(entry.expiresAtMillis()), json);
        }
        appendPlace(entry.place(), json);
        json.append('}');
    }

    private static void appendPlace(Place place, StringBuilder json) {
        switch (place) {
            case Place.Active active -> field("where", "memtable", json);
            case Place.Sealed sealed -> field("where", "sealed memtable", json);
            case Place.Table(long number, int level) -> {
                field("where", "table", json);
                field("table", FileNames.table(number), json);
                json.append(",\"level\":").append(level);
            }
        }
    }

    /** Nothing, where it is not known. */
    private static void moment(String name, long millis, StringBuilder json) {
        if (millis > 0) {
            field(name, time(millis), json);
        }
    }

    private static void field(String name, String value, StringBuilder json) {
        json.append(",\"").append(name).append("\":");
        Problem.appendQuoted(json, value);
    }
}
