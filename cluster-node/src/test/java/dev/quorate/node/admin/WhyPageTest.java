package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.router.message.HeldKey;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.token.Token;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The page that says what each member holds of a key. */
final class WhyPageTest extends PagesOfANode {

    private static final byte[] KEY = {'k', ' ', -1};

    private static final Topology FIVE =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1,n4=http://d:1,n5=http://e:1")
                    .in(new UUID(1, 2));

    private HttpResponse why(boolean isForPeople) {
        String accept = isForPeople ? "text/plain" : "application/json";
        return ask("GET", "/admin/why", "id=k%20%FF", accept, AT_ONCE);
    }

    private static KeyReport reportOf(List<KeyReport.MemberReport> members) {
        return new KeyReport(KEY, FIVE, 500, members, List.of("So it is."));
    }

    private static KeyReport.MemberReport member(int rank, HeldKey held) {
        return new KeyReport.MemberReport("n" + rank, rank, rank, rank < 4, rank < 4, held, null);
    }

    private static HeldKey held(
            List<Held> entries, List<Holdings.Unread> unread, List<HeldKey.Hint> hints) {
        MemberState state =
                MemberStates.of(
                        1,
                        MemberState.Condition.WHOLE,
                        2,
                        1_767_225_600_000L,
                        1_767_225_599_000L,
                        0);
        return new HeldKey(state, 0, true, entries, unread, hints);
    }

    private static final KeyReport.MemberReport SILENT =
            new KeyReport.MemberReport(
                    "n5",
                    5,
                    5,
                    false,
                    false,
                    null,
                    new Failed(Failure.TIMEOUT, "no\u001b[2J \"answer\""));

    @Test
    void theReportOnAKeyIsATable() {
        Timestamp now = Timestamp.of(1_767_225_600_000L, 7, 2);
        Timestamp future = Timestamp.of(1_767_225_600_501L, 0, 1);
        report =
                reportOf(
                        List.of(
                                member(
                                        1,
                                        held(
                                                List.of(
                                                        new Held(
                                                                Place.Active.ACTIVE,
                                                                now,
                                                                false,
                                                                3,
                                                                5,
                                                                Entry.NEVER),
                                                        new Held(
                                                                new Place.Table(26, 1),
                                                                future,
                                                                true,
                                                                0,
                                                                0,
                                                                Entry.NEVER)),
                                                List.of(),
                                                List.of(new HeldKey.Hint(2, now)))),
                                member(
                                        2,
                                        held(
                                                List.of(
                                                        new Held(
                                                                Place.Sealed.SEALED,
                                                                now,
                                                                false,
                                                                3,
                                                                5,
                                                                1_767_225_600_000L)),
                                                List.of(
                                                        new Holdings.Unread(
                                                                new Place.Table(27, 0),
                                                                now,
                                                                "a block\u0007")),
                                                List.of())),
                                member(4, held(List.of(), List.of(), List.of())),
                                SILENT));
        HttpResponse text = why(true);
        assertThat(text.status()).isEqualTo(200);
        String shown = text(text).replaceAll(" {2,}", "  ");
        assertThat(shown).contains("Token " + Token.ofKey(KEY) + "\n");
        assertThat(shown.replaceAll("Token [0-9a-f]{16}\n", ""))
                .isEqualTo(
                        """
                        Key k%20%FF

                        NODE  OWNER  VERSION  TIME  WHAT  FROM  BYTES  WHERE
                        n1  1  019b76daa8000007-00000002  2026-01-01T00:00:00.000Z  value  3  5  \
                        memtable, log
                        n1  1  019b76daa9f50000-00000001  2026-01-01T00:00:00.501Z AHEAD  tombstone  3  \
                        table 000000000000001a.sst, level 1
                        n2  2  019b76daa8000007-00000002  2026-01-01T00:00:00.000Z  value, expired 2026-01-01T00:00:00.000Z  3  5  \
                        sealed memtable, log
                        n2  2  unreadable  damage  table 000000000000001b.sst, level 0: a block?
                        n4  no  nothing
                        n5  no  no answer  no answer in time: no?[2J "answer"

                        - So it is.
                        """);

        List<String> lines = text(text).lines().toList();
        int where = lines.get(3).indexOf("WHERE");
        assertThat(lines.get(4).substring(where)).isEqualTo("memtable, log");
        assertThat(lines.get(7).substring(where)).startsWith("table ");
        assertThat(lines.get(9).substring(where)).startsWith("no answer in time: ");

        String time = "2026-01-01T00:00:00.000Z";
        HttpResponse json = why(false);
        assertThat(json.headers()).contains("Content-Type: application/json");
        assertThat(text(json))
                .startsWith(
                        "{\"id\":\"k%20%FF\",\"token\":\""
                                + Token.ofKey(KEY)
                                + "\",\"found\":true,\"whole\":false,\"epoch\":1,\"joint\":false,\"from\":3,\"members\":["
                                + "{\"member\":\"n1\",\"rank\":1,\"owner\":\"yes\",\"clock\":\""
                                + time
                                + "\",\"votes\":true,\"completeUpTo\":\"2025-12-31T23:59:59.000Z\","
                                + "\"entries\":["
                                + "{\"leftOver\":false,\"version\":\""
                                + now
                                + "\",\"time\":\""
                                + time
                                + "\",\"ahead\":false,\"tombstone\":false,\"from\":3,\"bytes\":5,"
                                + "\"where\":\"memtable\"},"
                                + "{\"leftOver\":false,\"version\":\""
                                + future
                                + "\"")
                .contains(
                        "\"ahead\":true,\"tombstone\":true,\"from\":3,\"bytes\":0,\"where\":\"table\","
                                + "\"table\":\""
                                + FileNames.table(26)
                                + "\",\"level\":1}]")
                .contains("\"hints\":[{\"for\":\"n2\",\"version\":\"" + now + "\"}]")
                .contains("\"expires\":\"" + time + "\"")
                .contains("\"why\":\"a block\\u0007\"}")
                .contains(
                        "{\"member\":\"n5\",\"rank\":5,\"owner\":\"no\",\"reason\":\"timeout\","
                                + "\"detail\":\"no\\u001b[2J \\\"answer\\\"\"}")
                .endsWith("],\"conclusions\":[\"So it is.\"]}\n");
    }

    /** While members change, an owner is one of before, of after, or both. */
    @Test
    void theGroupsOfOwnersAreNamed() {
        HeldKey nothing = held(List.of(), List.of(), List.of());
        report =
                new KeyReport(
                        KEY,
                        FIVE.next(
                                FIVE.members().stream()
                                        .map(
                                                m ->
                                                        m.name().equals("n4")
                                                                ? m.as(Member.Part.JOINS)
                                                                : m)
                                        .toList()),
                        500,
                        List.of(
                                new KeyReport.MemberReport("n1", 1, 1, true, true, nothing, null),
                                new KeyReport.MemberReport("n2", 2, 2, true, false, nothing, null),
                                new KeyReport.MemberReport("n4", 4, 3, false, true, nothing, null),
                                SILENT),
                        List.of());
        assertThat(text(why(true)).replaceAll(" {2,}", " "))
                .contains(
                        "\nEpoch 2: members change\n",
                        "\nn1 both nothing\n",
                        "\nn2 old nothing\n",
                        "\nn4 new nothing\n",
                        "\nn5 no no answer ");
        assertThat(text(why(false)))
                .contains(
                        "\"epoch\":2,\"joint\":true,",
                        "\"member\":\"n1\",\"rank\":1,\"owner\":\"both\"",
                        "\"member\":\"n2\",\"rank\":2,\"owner\":\"old\"",
                        "\"member\":\"n4\",\"rank\":3,\"owner\":\"new\"",
                        "\"member\":\"n5\",\"rank\":5,\"owner\":\"no\"");
    }

    /** A copy elsewhere is left over unless its member has deleted what it lost since. */
    @Test
    void whatIsLeftOverIsMarked() {
        Timestamp now = Timestamp.of(1_767_225_600_000L, 7, 2);
        HeldKey holds =
                held(
                        List.of(
                                new Held(Place.Active.ACTIVE, now, false, 4, 5, Entry.NEVER),
                                new Held(Place.Active.ACTIVE, now, true, 0, 0, Entry.NEVER)),
                        List.of(),
                        List.of());
        Topology moved = FIVE.next(FIVE.members()).completed();
        for (Topology topology : List.of(FIVE, moved)) {
            report = new KeyReport(KEY, topology, 500, List.of(member(4, holds)), List.of());
            boolean isLeftOver = topology.shrunk() > 0;
            String what = isLeftOver ? "tombstone, left over 3 memtable" : "tombstone 3 memtable";
            assertThat(text(why(true)).replaceAll(" {2,}", " "))
                    .contains("Z value 4 5 memtable", "Z " + what);
            assertThat(text(why(false)))
                    .contains(
                            "{\"leftOver\":false,\"version\"",
                            "{\"leftOver\":" + isLeftOver + ",\"version\"");
        }
    }

    @Test
    void whetherAKeyIsFoundIsTheStatus() {
        report = reportOf(List.of(member(1, held(List.of(), List.of(), List.of()))));
        assertThat(why(true).status()).isEqualTo(404);
        report = reportOf(List.of(member(1, held(List.of(), List.of(), List.of())), SILENT));
        assertThat(why(false).status()).isEqualTo(504);
        report = null;
        assertThat(why(false).status()).isEqualTo(503);
        assertThat(why(false).headers()).contains("Retry-After: 1");
    }
}
