package dev.quorate.node.admin;

import dev.quorate.node.http.parse.Percent;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.node.inquiry.KeyReport.MemberReport;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.message.HeldKey;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.token.Token;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Holdings.Unread;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import java.util.Locale;

/** The report on a key from all members, for programs. Pure. */
final class WhyJson {

    private WhyJson() {}

    static String text(KeyReport report) {
        JsonWriter json =
                new JsonWriter(1_024)
                        .beginObject()
                        .field("id", Percent.encode(report.key()))
                        .field("token", Token.ofKey(report.key()).toString())
                        .field("found", report.isFound())
                        .field("whole", report.isWhole())
                        .field("epoch", report.topology().epoch())
                        .field("joint", report.topology().isJoint())
                        .field("from", report.topology().replicationFactor())
                        .beginArray("members");
        for (MemberReport member : report.members()) {
            write(report, member, json);
        }
        json.endArray().field("conclusions", report.conclusions()).endObject();
        return json + "\n";
    }

    private static void write(KeyReport report, MemberReport member, JsonWriter json) {
        json.beginObject()
                .field("member", member.name())
                .field("rank", member.rank())
                .field("owner", report.owner(member));
        Failed failed = member.failed();
        if (failed != null) {
            json.field("reason", failed.reason().name().toLowerCase(Locale.ROOT))
                    .field("detail", failed.detail());
        }
        HeldKey held = member.held();
        if (held != null) {
            write(report, member, held, json);
        }
        json.endObject();
    }

    private static void write(
            KeyReport report, MemberReport member, HeldKey held, JsonWriter json) {
        json.field("clock", Timestamp.time(held.wallMillis()))
                .field("votes", held.state().condition().votes());
        moment("completeUpTo", held.state().completeMillis(), json);
        moment("settledUpTo", held.gcWatermarkMillis(), json);
        json.beginArray("entries");
        for (Held entry : held.entries()) {
            json.beginObject().field("leftOver", report.isLeftOver(member, entry));
            write(report.isAhead(held, entry), report.copies(entry), entry, json);
        }
        json.endArray().beginArray("unreadable");
        for (Unread unread : held.unread()) {
            json.beginObject().field("newest", unread.newest().toString());
            write(unread.place(), json);
            json.field("why", unread.why()).endObject();
        }
        json.endArray().beginArray("hints");
        for (HeldKey.Hint hint : held.hints()) {
            json.beginObject()
                    .field("for", report.nameOf(hint.member()))
                    .field("version", hint.timestamp().toString())
                    .endObject();
        }
        json.endArray();
    }

    private static void write(boolean isAhead, int copies, Held entry, JsonWriter json) {
        json.field("version", entry.timestamp().toString())
                .field("time", Timestamp.time(entry.timestamp().wallMillis()))
                .field("ahead", isAhead)
                .field("tombstone", entry.isTombstone())
                .field("from", copies)
                .field("bytes", entry.valueBytes());
        if (entry.expiresAtMillis() != Entry.NEVER) {
            json.field("expires", Timestamp.time(entry.expiresAtMillis()));
        }
        write(entry.place(), json);
        json.endObject();
    }

    private static void write(Place place, JsonWriter json) {
        switch (place) {
            case Place.Active active -> json.field("where", "memtable");
            case Place.Sealed sealed -> json.field("where", "sealed memtable");
            case Place.Table(long number, int level) ->
                    json.field("where", "table")
                            .field("table", FileNames.table(number))
                            .field("level", level);
        }
    }

    /** Omits an unknown time. */
    private static void moment(String name, long millis, JsonWriter json) {
        if (millis > 0) {
            json.field(name, Timestamp.time(millis));
        }
    }
}
