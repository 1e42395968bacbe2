package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.LossToAccept;
import dev.quorate.node.antientropy.PeerRepairStatus;
import dev.quorate.node.antientropy.RepairStatus;
import dev.quorate.node.clock.ExecutorScheduler;
import dev.quorate.node.clock.SystemTicker;
import dev.quorate.node.coordinator.CoordinatorStatistics;
import dev.quorate.node.handoff.HandoffStatistics;
import dev.quorate.node.health.PeerHealth;
import dev.quorate.node.health.PeerStanding;
import dev.quorate.node.http.ClientObserver.Operation;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpLimits;
import dev.quorate.node.http.HttpListener;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.inquiry.KeyReport;
import dev.quorate.node.membership.Membership;
import dev.quorate.node.message.HeldKey;
import dev.quorate.node.message.MemberNews;
import dev.quorate.node.message.ReplicaAnswer.Failed;
import dev.quorate.node.message.ReplicaAnswer.Failure;
import dev.quorate.router.ring.HashRing;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Holdings;
import dev.quorate.storage.Holdings.Held;
import dev.quorate.storage.Holdings.Place;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.StoreStatistics;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FileNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NodePagesTest {

    private static final Executor AT_ONCE = Runnable::run;
    private static final long RESERVED = 64 << 20;

    private final HashRing ring =
            new HashRing(Topology.parse("n1=http://a:8080,n2=http://b:8080,n3=http://c:8080"));
    private final RequestMetrics requests = new RequestMetrics();

    private boolean draining;
    private long freeDiskBytes = 1L << 40;
    private List<PeerHealth> peers =
            List.of(
                    peer("n2", PeerStanding.UP, ""),
                    peer("n3", PeerStanding.DOWN, "connection refused"));
    private HandoffStatistics hints =
            new HandoffStatistics(
                    List.of(new HandoffStatistics.OfTarget("n3", 801, 802, 803)),
                    Map.of("limit", 804L));
    private Map<String, HttpListener> listeners = Map.of();
    private Membership membership = membership(false);

    private @Nullable LossToAccept loss;
    private final AtomicLong repairsBegun = new AtomicLong();
    private RepairStatus repairs =
            new RepairStatus(
                    3,
                    true,
                    List.of(
                            new PeerRepairStatus(
                                    "n2",
                                    PeerRepairStatus.Phase.INCOMPLETE,
                                    "2 ranges cannot be read",
                                    1_000,
                                    12,
                                    7,
                                    5,
                                    0,
                                    2,
                                    4_096,
                                    1_500_000_000L,
                                    0,
                                    90.5,
                                    new PeerRepairStatus.Totals(17, 15, 14_096))));

    /** What an inquiry finds; null if there are too many. */
    private @Nullable KeyReport report;

    private boolean inquire(byte[] key, Consumer<KeyReport> done) {
        KeyReport found = report;
        if (found == null) {
            return false;
        }
        assertThat(key).isEqualTo(found.key());
        done.accept(found);
        return true;
    }

    private static PeerHealth peer(String name, PeerStanding standing, String lastError) {
        return new PeerHealth(
                name, standing, 1_700_000_000_000L, lastError, true, 4, 500, 60, 700, -250);
    }

    private Membership membership(boolean empty) {
        return new Membership(
                ring.topology(),
                ring.topology().members().getFirst(),
                empty,
                1,
                Duration.ZERO,
                0,
                SystemTicker.INSTANCE,
                () -> 0);
    }

    private NodePages pages(Executor background) {
        NodeView view =
                new NodeView(
                        ring.topology().members().getFirst(),
                        ring,
                        "1.2.3",
                        "native epoll",
                        "3 tables and 17 entries of the log",
                        RESERVED,
                        () -> draining,
                        this::store,
                        membership,
                        () -> new CoordinatorStatistics(1, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9, 10),
                        () -> peers,
                        () -> hints,
                        () -> repairs,
                        () -> repairsBegun.incrementAndGet(),
                        () -> loss,
                        name -> loss != null && loss.name().equals(name),
                        this::inquire,
                        () -> listeners);
        return new NodePages(view, requests, background);
    }

    private StoreStatistics store() {
        return new StoreStatistics(
                101,
                102,
                103,
                104,
                105,
                106,
                107_000_000_000L,
                108,
                109,
                110,
                111,
                112,
                113_000_000_000L,
                114,
                freeDiskBytes,
                116,
                117,
                118,
                119,
                120_000_000_000L,
                121,
                122,
                123,
                127,
                128,
                129,
                124,
                Timestamp.of(125_000, 0, 0),
                Timestamp.of(126_000, 0, 0));
    }

    /** Keeps the one answer. */
    private static final class Answer implements HttpExchange {

        private final List<HttpResponse> responses = new ArrayList<>();

        @Override
        public void respond(HttpResponse response) {
            responses.add(response);
        }

        @Override
        public void stream(HttpResponse head, StreamSource source) {
            throw new AssertionError("pages are not streamed");
        }
    }

    private HttpResponse get(String path, Executor background) {
        Answer answer = new Answer();
        pages(background).page(path, answer);
        assertThat(answer.responses).as("exactly one answer").hasSize(1);
        return answer.responses.getFirst();
    }

    private static String text(HttpResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Test
    void aNodeIsLiveWhateverElseIsWrong() {
        draining = true;
        freeDiskBytes = 0;
        HttpResponse response =
                get(
                        "/livez",
                        task -> {
                            throw new AssertionError("needs no other thread");
                        });
        assertThat(response.status()).isEqualTo(200);
    }

    @Test
    void aNodeIsReadyWhilePeersAreDownAndSaysWhatItChecked() {
        peers = List.of(peer("n2", PeerStanding.DOWN, "x"), peer("n3", PeerStanding.DOWN, "x"));
        HttpResponse response = get("/readyz", AT_ONCE);
        assertThat(response.status()).isEqualTo(200);
        assertThat(text(response).lines())
                .containsExactly(
                        "ready",
                        "ok     recovered: 3 tables and 17 entries of the log",
                        "ok     data: it votes",
                        "ok     serving: not stopping",
                        "ok     disk: 1099511627776 bytes free, 67108864 needed for writes");
    }

    @Test
    void aNodeThatDoesNotKnowWhatItsEmptyDiskIsWorthIsNotReady() {
        membership = membership(true);
        HttpResponse response = get("/readyz", AT_ONCE);
        assertThat(response.status()).isEqualTo(503);
        assertThat(text(response))
                .contains("failed data: its disk is empty, and it has not heard from enough");
    }

    @ParameterizedTest
    @CsvSource({
        "true,  67108864, failed serving: the node is stopping",
        "false, 67108863, 'failed disk: 67108863 bytes free, 67108864 needed for writes'"
    })
    void aNodeThatStopsOrHasNoDiskIsNotReady(boolean isDraining, long free, String line) {
        draining = isDraining;
        freeDiskBytes = free;
        HttpResponse response = get("/readyz", AT_ONCE);
        assertThat(response.status()).isEqualTo(503);
        assertThat(text(response).lines()).startsWith("not ready").contains(line);
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

    @Test
    void aRepairIsBegunByAPostAloneAndTellsHowItGoes() {
        String text =
                """
                round 3 running
                n2 incomplete: 1,000 compared, 12 differed, 7 sent, 5 fetched, 4,096 bytes, 1.5 s; \
                2 ranges cannot be read
                """;
        assertThat(text(get("/admin/repair", AT_ONCE))).isEqualTo(text);
        assertThat(repairsBegun).hasValue(0);
        Answer answer = new Answer();
        pages(AT_ONCE).act("/admin/repair", answer);
        assertThat(answer.responses.getFirst().status()).isEqualTo(202);
        assertThat(text(answer.responses.getFirst())).isEqualTo(text);
        assertThat(repairsBegun).hasValue(1);
    }

    private HttpResponse acceptLoss(String name) {
        Answer answer = new Answer();
        pages(AT_ONCE).acceptLoss(name, answer);
        return answer.responses.getFirst();
    }

    @Test
    void whatMayBeLostIsNamedAndAcceptedByItsName() {
        assertThat(text(get("/admin/loss", AT_ONCE))).isEqualTo("no loss 127\n");
        assertThat(acceptLoss("").status()).isEqualTo(409);
        loss =
                new LossToAccept(
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
                .contains("none newer than " + loss.newest() + " (2026-01-01T00:00:00Z)")
                .endsWith("\n  from a%FF to before b%20\n  from x on\n");
        assertThat(acceptLoss(name).status()).isEqualTo(202);
        assertThat(acceptLoss(name + "0").status()).isEqualTo(409);
        LossToAccept more =
                new LossToAccept(
                        loss.file(),
                        List.of(loss.ranges().getFirst(), new KeyRange(new byte[] {'w'}, null)),
                        loss.newest(),
                        loss.damagedAlike(),
                        loss.why());
        assertThat(more.name()).isNotEqualTo(name);
    }

    private HttpResponse why(boolean isForPeople) {
        Answer answer = new Answer();
        pages(AT_ONCE).why(new byte[] {'k', ' ', -1}, isForPeople, answer);
        return answer.responses.getFirst();
    }

    private static KeyReport reportOf(List<KeyReport.MemberReport> members) {
        return new KeyReport(new byte[] {'k', ' ', -1}, 3, 500, members, List.of("So it is."));
    }

    private static KeyReport.MemberReport member(int rank, HeldKey held) {
        return new KeyReport.MemberReport("n" + rank, rank, rank, rank < 4, held, null);
    }

    private static HeldKey held(
            List<Held> entries, List<Holdings.Unread> unread, List<HeldKey.Hint> hints) {
        MemberNews news =
                new MemberNews(
                        1,
                        MemberNews.Condition.WHOLE,
                        2,
                        1_767_225_600_000L,
                        1_767_225_599_000L,
                        0);
        return new HeldKey(news, 0, true, entries, unread, hints);
    }

    private static final KeyReport.MemberReport SILENT =
            new KeyReport.MemberReport(
                    "n5", 5, 5, false, null, new Failed(Failure.TIMEOUT, "no\u001b[2J \"answer\""));

    @Test
    void whatMembersHoldOfAKeyIsATable() {
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
        assertThat(text(text).replaceAll(" {2,}", "  "))
                .isEqualTo(
                        """
                        Key k%20%FF

                        NODE  OWNER  VERSION  TIME  WHAT  FROM  BYTES  WHERE
                        n1  1  019b76daa8000007-00000002  2026-01-01T00:00:00Z  value  3  5  \
                        memtable, log
                        n1  1  019b76daa9f50000-00000001  2026-01-01T00:00:00.501Z AHEAD  tombstone  ?  \
                        table 000000000000001a.sst, level 1
                        n2  2  019b76daa8000007-00000002  2026-01-01T00:00:00Z  value, expired 2026-01-01T00:00:00Z  3  5  \
                        sealed memtable, log
                        n2  2  unreadable  damage  table 000000000000001b.sst, level 0: a block?
                        n4  no  nothing
                        n5  no  no answer  timeout: no?[2J "answer"

                        - So it is.
                        """);

        List<String> lines = text(text).lines().toList();
        int where = lines.get(2).indexOf("WHERE");
        assertThat(lines.get(3).substring(where)).isEqualTo("memtable, log");
        assertThat(lines.get(6).substring(where)).startsWith("table ");
        assertThat(lines.get(8).substring(where)).startsWith("timeout: ");

        String time = "2026-01-01T00:00:00Z";
        HttpResponse json = why(false);
        assertThat(json.headers()).contains("Content-Type: application/json");
        assertThat(text(json))
                .startsWith(
                        "{\"id\":\"k%20%FF\",\"found\":true,\"whole\":false,\"from\":3,\"members\":["
                                + "{\"member\":\"n1\",\"rank\":1,\"owner\":true,\"clock\":\""
                                + time
                                + "\",\"votes\":true,\"completeUpTo\":\"2025-12-31T23:59:59Z\","
                                + "\"entries\":["
                                + "{\"version\":\""
                                + now
                                + "\",\"time\":\""
                                + time
                                + "\",\"ahead\":false,\"tombstone\":false,\"from\":3,\"bytes\":5,"
                                + "\"where\":\"memtable\"},{\"version\":\""
                                + future
                                + "\"")
                .contains(
                        "\"ahead\":true,\"tombstone\":true,\"from\":0,\"bytes\":0,\"where\":\"table\","
                                + "\"table\":\""
                                + FileNames.table(26)
                                + "\",\"level\":1}]")
                .contains("\"hints\":[{\"for\":\"n2\",\"version\":\"" + now + "\"}]")
                .contains("\"expires\":\"" + time + "\"")
                .contains("\"why\":\"a block\\u0007\"}")
                .contains(
                        "{\"member\":\"n5\",\"rank\":5,\"owner\":false,\"reason\":\"timeout\","
                                + "\"detail\":\"no\\u001b[2J \\\"answer\\\"\"}")
                .endsWith("],\"conclusions\":[\"So it is.\"]}\n");
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

    @Test
    void aFailureWhileMakingAPageIsAnsweredToo() {
        peers = null;
        assertThat(get("/", AT_ONCE).status()).isEqualTo(500);
        assertThat(get("/metrics", AT_ONCE).status()).isEqualTo(500);
    }

    @Test
    void theMetricsSayWhatTheStoreTheCoordinatorAndThePeersCount() {
        HttpResponse response = get("/metrics", AT_ONCE);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.headers())
                .contains("Content-Type: text/plain; version=0.0.4; charset=utf-8");
        assertThat(text(response).lines())
                .contains(
                        "quorate_build_info{io=\"native epoll\",node=\"n1\",version=\"1.2.3\"} 1",
                        "quorate_ready 1.0",
                        "quorate_http_requests_in_flight 1.0",
                        "quorate_scans_open 2.0",
                        "quorate_quorum_failures_total{op=\"read\"} 3.0",
                        "quorate_quorum_failures_total{op=\"write\"} 4.0",
                        "quorate_requests_rejected_total{listener=\"client\",reason=\"queue\"} 5.0",
                        "quorate_restamps_total 6.0",
                        "quorate_read_repairs_total{mode=\"before_the_answer\"} 7.0",
                        "quorate_read_hedges_total 8.0",
                        "quorate_read_repairs_total{mode=\"later\"} 9.0",
                        "quorate_read_repairs_total{mode=\"forgotten\"} 10.0",
                        "quorate_peer_up{peer=\"n2\"} 1.0",
                        "quorate_peer_up{peer=\"n3\"} 0.0",
                        "quorate_peer_operations_total{peer=\"n2\"} 700.0",
                        "quorate_clock_offset_seconds{peer=\"n2\"} -0.25",
                        "quorate_repair_age_seconds{peer=\"n2\"} 90.5",
                        "quorate_repair_entries_total{direction=\"sent\",peer=\"n2\"} 17.0",
                        "quorate_repair_entries_total{direction=\"fetched\",peer=\"n2\"} 15.0",
                        "quorate_repair_bytes_total{peer=\"n2\"} 14096.0",
                        "quorate_repair_running 1.0",
                        "quorate_member_votes 1.0",
                        "quorate_settled_timestamp_seconds 0.0",
                        "quorate_hints_pending_bytes{peer=\"n3\"} 801.0",
                        "quorate_hints_replayed_total{outcome=\"stored\",peer=\"n3\"} 802.0",
                        "quorate_hints_replayed_total{outcome=\"failed\",peer=\"n3\"} 803.0",
                        "quorate_hints_dropped_total{reason=\"limit\"} 804.0",
                        "quorate_memtable_size_bytes 101.0",
                        "quorate_wal_size_bytes 102.0",
                        "quorate_sstables 103.0",
                        "quorate_sstable_size_bytes 104.0",
                        "quorate_writes_total 105.0",
                        "quorate_wal_fsync_duration_seconds_count 106",
                        "quorate_wal_fsync_duration_seconds_sum 107.0",
                        "quorate_write_queue_bytes 108.0",
                        "quorate_flushes_total 109.0",
                        "quorate_compactions_total 110.0",
                        "quorate_compaction_bytes_total{dir=\"read\"} 111.0",
                        "quorate_compaction_bytes_total{dir=\"written\"} 112.0",
                        "quorate_write_stall_seconds_total 113.0",
                        "quorate_tombstones 114.0",
                        "quorate_checksum_failures_total 116.0",
                        "quorate_write_bytes_total 117.0",
                        "quorate_wal_bytes_total 118.0",
                        "quorate_flush_bytes_total 119.0",
                        "quorate_write_delay_seconds_total 120.0",
                        "quorate_writes_delayed_total 121.0",
                        "quorate_sstables_level_zero 122.0",
                        "quorate_sstables_damaged 123.0",
                        "quorate_damaged_ranges 127.0",
                        "quorate_healed_ranges_total 128.0",
                        "quorate_scrubbed_bytes_total 129.0",
                        "quorate_tombstones_dropped_total 124.0",
                        "quorate_tombstone_oldest_timestamp_seconds 125.0",
                        "quorate_tombstones_collected_timestamp_seconds 126.0");
    }

    @Test
    void aDurationFallsIntoTheBucketsFromItsOwnUpwards() {
        requests.answered(Operation.GET, 200, 0);
        requests.answered(Operation.GET, 200, 100_000);
        requests.answered(Operation.GET, 200, 100_001);
        requests.answered(Operation.GET, 200, 9_000_000_000L);
        requests.answered(Operation.PUT, 504, 1_000_000_000);
        String name = "quorate_http_request_duration_seconds";
        String get = "code=\"200\",op=\"get\"";
        assertThat(text(get("/metrics", AT_ONCE)).lines())
                .contains(
                        name + "_bucket{" + get + ",le=\"1.0E-4\"} 2",
                        name + "_bucket{" + get + ",le=\"2.5E-4\"} 3",
                        name + "_bucket{" + get + ",le=\"2.5\"} 3",
                        name + "_bucket{" + get + ",le=\"+Inf\"} 4",
                        name + "_count{" + get + "} 4",
                        name + "_sum{" + get + "} 9.000200001",
                        name + "_bucket{code=\"504\",op=\"put\",le=\"0.5\"} 0",
                        name + "_bucket{code=\"504\",op=\"put\",le=\"1.0\"} 1");
    }

    @Test
    void anyStatusCanBeCounted() {
        for (int status : new int[] {-1, 0, 99, 100, 599, 600, Integer.MAX_VALUE}) {
            requests.answered(Operation.OTHER, status, 1);
        }
        assertThat(text(get("/metrics", AT_ONCE)))
                .contains("_count{code=\"100\",op=\"other\"} 4")
                .contains("_count{code=\"599\",op=\"other\"} 3");
    }

    @Test
    void aListenersFiguresAreThereUnderItsName() throws Exception {
        try (ExecutorScheduler scheduler = new ExecutorScheduler();
                HttpListener listener =
                        HttpListener.start(
                                "127.0.0.1",
                                0,
                                1,
                                "test-%d",
                                HttpLimits.defaults(),
                                (request, exchange) -> {},
                                SystemTicker.INSTANCE,
                                scheduler)) {
            listeners = Map.of("peer", listener);
            assertThat(text(get("/metrics", AT_ONCE)))
                    .contains("quorate_http_connections{listener=\"peer\"} 0.0")
                    .contains(
                            "quorate_requests_rejected_total{listener=\"peer\",reason=\"bytes\"}"
                                    + " 0.0");
        }
    }

    /** Dashboards break silently when a name changes. */
    @Test
    void namesAreNamespacedInBaseUnitsAndExplained() {
        requests.answered(Operation.GET, 200, 1);
        TreeSet<String> own = new TreeSet<>();
        for (String line : text(get("/metrics", AT_ONCE)).lines().toList()) {
            if (line.startsWith("# TYPE quorate_")) {
                String[] words = line.split(" ", -1);
                own.add(words[2]);
                assertThat(words[2].endsWith("_total")).isEqualTo(words[3].equals("counter"));
                assertThat(words[2]).doesNotContainPattern("_(ms|millis|nanos|kib|mib)(_|$)");
            } else if (!line.startsWith("#")) {
                assertThat(line).matches("(quorate|jvm|process)_[^ ]+(\\{.*\\})? [-+0-9.EeNaIf]+");
            }
        }
        assertThat(own).hasSizeGreaterThan(25).allMatch(name -> name.matches("[a-z_]+"));
    }

    @Test
    void theRingPageShowsEveryMemberItsShareAndItsStanding() {
        String page = text(get("/", AT_ONCE));
        assertThat(page)
                .startsWith("<!doctype html>")
                .contains("3 members, 3 copies of each key. Version 1.2.3, sockets: native epoll.")
                .contains("<td>n1<td>http://a:8080<td class=n>33.")
                .contains("<span class=up>this node, ready</span>")
                .contains("<span class=up>up since 2023-11-14T22:13:20Z</span>")
                .contains("<span class=down>down since 2023-11-14T22:13:20Z: connection refused")
                .contains("<td>entries made durable<td class=n>105</tr>")
                .contains("<td>free disk<td class=n>1.0 TiB</tr>")
                .doesNotContain("<script");
    }

    @Test
    void theRingPageSaysWhatIsNotKnownAndWhatIsNotReady() {
        peers = List.of();
        draining = true;
        String page = text(get("/", AT_ONCE));
        assertThat(page)
                .contains("<span class=unknown>not heard of yet</span>")
                .contains("this node, not ready: serving (the node is stopping)");
    }

    @Test
    void whatOthersSayIsEscaped() {
        peers = List.of(peer("n2", PeerStanding.REFUSED, "<script>alert('1')</script>&\"quoted\""));
        assertThat(text(get("/", AT_ONCE)))
                .doesNotContain("<script")
                .contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;quoted&quot;");
    }
}
