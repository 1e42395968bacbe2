package dev.quorate.node.admin;

import dev.quorate.node.http.parse.Percent;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.node.inquiry.KeyReport.MemberReport;
import dev.quorate.router.message.HeldKey;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.token.Token;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import java.util.ArrayList;
import java.util.List;

/** The report on a key from all members, for people. Pure. */
final class WhyPage {

    private static final List<String> TITLES =
            List.of("NODE", "OWNER", "VERSION", "TIME", "WHAT", "FROM", "BYTES", "WHERE");

    private WhyPage() {}

    /**
     * 200 if any member has an entry of the key, 404 if no member has one, 504 if that is unknown
     * because not all members answered completely.
     */
    static int status(KeyReport report) {
        return report.isFound() ? 200 : report.isWhole() ? 404 : 504;
    }

    static String text(KeyReport report) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(TITLES);
        for (MemberReport member : report.members()) {
            addRows(report, member, rows);
        }
        StringBuilder text = new StringBuilder(1_024);
        text.append("Key ").append(Percent.encode(report.key())).append('\n');
        text.append("Token ").append(Token.ofKey(report.key())).append('\n');
        if (report.topology().isJoint()) {
            text.append("Epoch ").append(report.topology().epoch()).append(": members change\n");
        }
        text.append('\n');
        appendTable(rows, text);
        text.append('\n');
        for (String conclusion : report.conclusions()) {
            text.append("- ").append(conclusion).append('\n');
        }
        return text.toString();
    }

    private static void addRows(KeyReport report, MemberReport member, List<List<String>> rows) {
        String owner = report.owner(member);
        String rank = owner.equals("yes") ? Integer.toString(member.rank()) : owner;
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
                            Timestamp.time(entry.timestamp().wallMillis())
                                    + (report.isAhead(held, entry) ? " AHEAD" : ""),
                            what(held, entry)
                                    + (report.isLeftOver(member, entry) ? ", left over" : ""),
                            Integer.toString(report.copies(entry)),
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
        return (isExpired ? "value, expired " : "value, expires ")
                + Timestamp.time(entry.expiresAtMillis());
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

    /** Text from peers and disks must not control a terminal. */
    private static String visible(String text) {
        StringBuilder visible = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            visible.append(c >= ' ' && c <= '~' ? c : '?');
        }
        return visible.toString();
    }
}
