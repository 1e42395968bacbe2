package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.AcceptedLoss;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.Timestamp;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of a node: whether it is well, what it does, and what it asks of people. */
final class NodePagesTest extends PagesOfANode {

    @Test
    void aNodeIsLiveEvenIfItIsNotReady() {
        drain.stop();
        values.put(FREE_DISK, 0.0);
        HttpResponse response =
                get(
                        "/livez",
                        task -> {
                            throw new AssertionError("needs no other thread");
                        });
        assertThat(response.status()).isEqualTo(200);
    }

    @Test
    void aNodeIsReadyWhilePeersAreDownAndListsItsChecks() {
        peers = List.of(peer("n2", PeerStanding.DOWN, "x"), peer("n3", PeerStanding.DOWN, "x"));
        HttpResponse response = get("/readyz", AT_ONCE);
        assertThat(response.status()).isEqualTo(200);
        assertThat(text(response).lines())
                .containsExactly(
                        "ready",
                        "ok     recovered: 3 tables and 17 entries of the log",
                        "ok     data: it votes",
                        "ok     quorum: 2 of 3 members are up and vote, 2 needed for writes",
                        "ok     serving: not stopping",
                        "ok     disk: 1099511627776 bytes free, 67108864 needed for writes");
    }

    @Test
    void aNodeWithAnEmptyDiskIsNotReadyBeforeItKnowsTheCluster() {
        membership = membership(Condition.EMPTY);
        HttpResponse response = get("/readyz", AT_ONCE);
        assertThat(response.status()).isEqualTo(503);
        assertThat(text(response))
                .contains(
                        "failed data: its directory is new, and it has not heard from n2, n3 yet");
    }

    @Test
    void aNodeIsNotReadyWhileNoWriteThroughItWouldBeTaken() {
        voters = 1;
        assertThat(get("/readyz", AT_ONCE).status()).isEqualTo(503);
        assertThat(text(get("/readyz", AT_ONCE)))
                .contains("failed quorum: 1 of 3 members are up and vote, 2 needed for writes");
        assertThat(get("/livez", AT_ONCE).status()).isEqualTo(200);
        voters = 3;
        membership = membership(Condition.REBUILDING);
        assertThat(get("/readyz", AT_ONCE).status()).isEqualTo(503);
    }

    @ParameterizedTest
    @CsvSource({
        "true,  67108864, failed serving: the node is stopping",
        "false, 67108863, 'failed disk: 67108863 bytes free, 67108864 needed for writes'"
    })
    void aNodeThatStopsOrHasNoDiskIsNotReady(boolean isDraining, long free, String line) {
        if (isDraining) {
            drain.stop();
        }
        values.put(FREE_DISK, (double) free);
        HttpResponse response = get("/readyz", AT_ONCE);
        assertThat(response.status()).isEqualTo(503);
        assertThat(text(response).lines()).startsWith("not ready").contains(line);
    }

    /** It answers clients and votes; load balancers and the other members do without it. */
    @Test
    void aDrainedNodeIsNotReadyUntilTheDrainEnds() {
        assertThat(text(get("/admin/drain", AT_ONCE))).isEqualTo("Not drained.\n");
        String drained = "Drained: the node is drained until DELETE /admin/drain.\n";
        assertThat(text(ask("POST", "/admin/drain", null, "", AT_ONCE))).isEqualTo(drained);
        assertThat(text(ask("POST", "/admin/drain", null, "", AT_ONCE))).isEqualTo(drained);
        assertThat(text(get("/readyz", AT_ONCE)))
                .contains("failed serving: the node is drained until DELETE /admin/drain");
        assertThat(view().whyNotServing()).isNull();
        assertThat(text(ask("DELETE", "/admin/drain", null, "", AT_ONCE)))
                .isEqualTo("Not drained.\n");
        assertThat(get("/readyz", AT_ONCE).status()).isEqualTo(200);
        assertThat(stops).containsExactly(true, false);
        assertThat(events.since(0))
                .extracting(EventLog.Event::text)
                .containsExactly("n1 is drained", "n1 is no longer drained");
    }

    /** Otherwise the end of a drain would tell the others that a node that stops stays. */
    @Test
    void theEndOfADrainTakesNoStopBack() {
        drain.set(true);
        drain.stop();
        drain.set(false);
        assertThat(stops).containsExactly(true, true, true);
        assertThat(drain.reason()).isEqualTo("the node is stopping");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/readyz", "/metrics", "/"})
    void aPageThatCannotBeMadeNowIsRefused(String path) {
        HttpResponse response =
                get(
                        path,
                        task -> {
                            throw new RejectedExecutionException();
                        });
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.headers()).contains("Retry-After: 1");
    }

    /** With names and addresses of the greatest length. */
    @Test
    void theRingOfAHundredMembersFitsIn64Kibibytes() {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            String name = "%063d".formatted(i);
            String host = ("x".repeat(63) + ".").repeat(3) + "y".repeat(61);
            members.add(new Member(name, URI.create("http://" + host + ":" + (10_000 + i))));
        }
        topology = new Topology(members).in(new UUID(1, 2));
        String page = text(get("/v0/ring", AT_ONCE));
        assertThat(page).hasSizeLessThanOrEqualTo(64 << 10).contains("%063d".formatted(99));
    }

    private void heardFrom(String name, Condition condition) {
        int number =
                ring.topology().members().stream()
                        .filter(member -> member.name().equals(name))
                        .findAny()
                        .orElseThrow()
                        .number();
        membership.onState(number, MemberStates.of(7, condition, 0, 1, 0, 0));
    }

    @Test
    void aNodeCanStopWhileAllOtherOwnersOfItsKeysAreUpAndVote() {
        peers = List.of(peer("n2", PeerStanding.UP, ""), peer("n3", PeerStanding.UP, ""));
        heardFrom("n2", Condition.WHOLE);
        heardFrom("n3", Condition.REBUILDING);
        HttpResponse response = get("/admin/can-stop", AT_ONCE);
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.headers())
                .contains("Content-Type: application/problem+json", "Retry-After: 1");
        assertThat(text(response))
                .contains("\"detail\":\"This node must not stop now. n3 does not vote.\"")
                .contains("\"reasons\":[\"n3 does not vote.\"]");

        heardFrom("n3", Condition.STOPPING);
        assertThat(text(get("/admin/can-stop", AT_ONCE))).contains("n3 is stopping.");

        heardFrom("n3", Condition.FOUNDING);
        assertThat(get("/admin/can-stop", AT_ONCE).status()).isEqualTo(200);
        assertThat(text(get("/admin/can-stop", AT_ONCE)))
                .isEqualTo("This node can stop. These are up and vote: n2, n3.\n");

        peers = List.of(peer("n2", PeerStanding.UP, ""));
        assertThat(text(get("/admin/can-stop", AT_ONCE))).contains("n3 has not been heard from");
    }

    @Test
    void onlyAPostBeginsARepairAndThePageShowsItsProgress() {
        String text =
                """
                round 3 running
                n2 incomplete: 1,000 compared, 12 differed, 7 sent, 5 fetched, 4,096 bytes, 1.5 s; \
                2 ranges cannot be read
                """;
        assertThat(text(get("/admin/repair", AT_ONCE))).isEqualTo(text);
        assertThat(repairsBegun).hasValue(0);
        HttpResponse response = ask("POST", "/admin/repair", null, "", AT_ONCE);
        assertThat(response.status()).isEqualTo(202);
        assertThat(text(response)).isEqualTo(text);
        assertThat(repairsBegun).hasValue(1);
    }

    private HttpResponse acceptLoss(String name) {
        return ask("POST", "/admin/loss", "accept=" + name, "", AT_ONCE);
    }

    @Test
    void aLossIsShownAndAcceptedByItsName() {
        assertThat(text(get("/admin/loss", AT_ONCE))).isEqualTo("no loss 127\n");
        assertThat(acceptLoss("none").status()).isEqualTo(409);
        loss =
                new AcceptedLoss(
                        "000012.sst",
                        List.of(
                                new KeyRange(new byte[] {'a', -1}, new byte[] {'b', ' '}),
                                new KeyRange(new byte[] {'x'}, null)),
                        Timestamp.of(1_767_225_600_000L, 7, 2),
                        List.of("n2", "n4"),
                        "n3 does not know");
        String name = loss.name();
        assertThat(name).matches("000012\\.sst-2-[0-9a-f]+");
        assertThat(text(get("/admin/loss", AT_ONCE)))
                .startsWith("loss " + name + " 2\nThe table 000012.sst is damaged, and so is, in")
                .contains("the same keys: n2, n4; n3 does not know.\n")
                .contains("none newer than " + loss.newest() + " (2026-01-01T00:00:00.000Z)")
                .endsWith("\n  from a%FF to before b%20\n  from x on\n");
        assertThat(acceptLoss(name).status()).isEqualTo(202);
        assertThat(acceptLoss(name + "0").status()).isEqualTo(409);
        AcceptedLoss more =
                new AcceptedLoss(
                        loss.file(),
                        List.of(loss.ranges().getFirst(), new KeyRange(new byte[] {'w'}, null)),
                        loss.newest(),
                        loss.damagedAlike(),
                        loss.why());
        assertThat(more.name()).isNotEqualTo(name);
    }

    @Test
    void aFailureWhileMakingAPageIsAnsweredToo() {
        peers = null;
        assertThat(get("/", AT_ONCE).status()).isEqualTo(500);
        assertThat(get("/metrics", AT_ONCE).status()).isEqualTo(500);
    }

    @Test
    void theTextShowsEveryMemberItsShareAndItsStanding() {
        HttpResponse response = get("/", AT_ONCE);
        assertThat(response.headers()).contains("Content-Type: text/plain; charset=utf-8");
        assertThat(text(response))
                .startsWith("Quorate, seen from n1\n3 members, 3 copies of each key. Version 1.2.3")
                .containsPattern("n1 +http://a:8080 +33\\.[0-9] % of the ring  this node, ready\n")
                .containsPattern("n2 .*  up since 2023-11-14T22:13:20Z\n")
                .containsPattern("n3 .*  down since 2023-11-14T22:13:20Z: connection refused\n")
                .containsPattern("entries made durable +105\n")
                .containsPattern("free disk +1\\.0 TiB\n");
    }

    @Test
    void theTextShowsWhatIsUnknownAndNotReady() {
        peers = List.of();
        drain.stop();
        assertThat(text(get("/", AT_ONCE)))
                .contains("not heard from yet")
                .contains("this node, not ready: serving (the node is stopping)");
    }

    @Test
    void eventsAreOneObjectOrOneALine() {
        events.warn("n3 is down: \"x\"");
        String event =
                """
                {"node":"n1","sequence":1700000000000001,"time":"2023-11-14T22:13:20.000Z",\
                "severity":"warning","text":"n3 is down: \\"x\\""}""";
        assertThat(events(0, true)).isEqualTo(event + "\n");
        assertThat(events(0, false))
                .isEqualTo(
                        "{\"node\":\"n1\",\"last\":1700000000000001,\"events\":[" + event + "]}\n");
        assertThat(events(events.last(), true)).isEmpty();
    }

    private String events(long since, boolean isLines) {
        String accept = isLines ? "application/x-ndjson" : "";
        return text(ask("GET", "/admin/events", "since=" + since, accept, AT_ONCE));
    }
}
