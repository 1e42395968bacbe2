package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.HttpListener;
import dev.quorate.node.http.connection.TestListener;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.DurationHistogram;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.storage.Figures.Figure;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The metrics: what is counted, and under which names. */
final class MetricsPageTest extends PagesOfANode {

    @Test
    void theMetricsExportTheCountersOfStoreCoordinatorAndPeers() {
        HttpResponse response = get("/metrics", AT_ONCE);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.headers())
                .contains("Content-Type: text/plain; version=0.0.4; charset=utf-8");
        assertThat(text(response).lines())
                .contains(
                        "quorate_build_info{io=\"native epoll\",node=\"n1\",version=\"1.2.3\"} 1",
                        "quorate_ready 1.0",
                        "quorate_quorum_failures_total{op=\"read\"} 3.0",
                        "quorate_quorum_failures_total{op=\"write\"} 4.0",
                        "quorate_requests_rejected_total{listener=\"client\",reason=\"queue\"} 5.0",
                        "quorate_disk_free_bytes 1.099511627776E12",
                        "quorate_writes_total 105.0",
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
                        "quorate_hints_dropped_total{reason=\"limit\"} 804.0");
    }

    /** A figure without a value is not there; each of the others once. */
    @Test
    void everyRegisteredFigureIsExported() {
        List<Figure> registered = figures().all();
        for (int i = 0; i < registered.size(); i++) {
            Figure each = registered.get(i);
            values.put(each.fullName(), 1_000.0 + i);
        }
        values.put("tombstone_oldest_timestamp_seconds", Double.NaN);
        List<String> lines = text(get("/metrics", AT_ONCE)).lines().toList();
        for (int i = 0; i < registered.size(); i++) {
            String name = "quorate_" + registered.get(i).name();
            String value = " " + (1_000.0 + i);
            assertThat(lines)
                    .filteredOn(line -> line.startsWith(name) && line.endsWith(value))
                    .as(name)
                    .hasSize(name.endsWith("tombstone_oldest_timestamp_seconds") ? 0 : 1);
        }
        assertThat(lines).doesNotHaveDuplicates();
    }

    @Test
    void aDurationFallsIntoTheBucketsFromItsOwnUpwards() {
        QuorumSpec two = new QuorumSpec(2, 3);
        requests.answered(Operation.GET, 200, two, 0);
        requests.answered(Operation.GET, 200, two, 100_000);
        requests.answered(Operation.GET, 200, two, 100_001);
        requests.answered(Operation.GET, 200, two, 9_000_000_000L);
        requests.answered(Operation.PUT, 504, new QuorumSpec(3, 3), 1_000_000_000);
        String name = "quorate_http_request_duration_seconds";
        String get = "code=\"200\",op=\"get\",replicas=\"2/3\"";
        String put = "code=\"504\",op=\"put\",replicas=\"3/3\"";
        assertThat(text(get("/metrics", AT_ONCE)).lines())
                .contains(
                        name + "_bucket{" + get + ",le=\"1.0E-4\"} 2",
                        name + "_bucket{" + get + ",le=\"2.5E-4\"} 3",
                        name + "_bucket{" + get + ",le=\"2.5\"} 3",
                        name + "_bucket{" + get + ",le=\"+Inf\"} 4",
                        name + "_count{" + get + "} 4",
                        name + "_sum{" + get + "} 9.000200001",
                        name + "_bucket{" + put + ",le=\"0.5\"} 0",
                        name + "_bucket{" + put + ",le=\"1.0\"} 1");
    }

    /** Clients choose ack/from. */
    @Test
    void noClientCanMakeMoreSeries() {
        for (int from = 1; from <= QuorumSpec.MAX_FROM; from++) {
            for (int ack = 1; ack <= from; ack++) {
                requests.answered(Operation.GET, 200, new QuorumSpec(ack, from), 1);
            }
        }
        requests.answered(Operation.GET, 200, 1);
        assertThat(
                        text(get("/metrics", AT_ONCE))
                                .lines()
                                .filter(line -> line.contains("request_duration_seconds_count"))
                                .map(line -> line.replaceAll(".*replicas=\"(.*)\"\\} ", "$1: ")))
                .containsExactlyInAnyOrder(
                        "none: 1",
                        "1/1: 1",
                        "1/2: 1",
                        "2/2: 1",
                        "1/3: 1",
                        "2/3: 1",
                        "3/3: 1",
                        "other: 522");
    }

    @Test
    void theLogsTimesAreHistograms() {
        log.record(3_000_000);
        assertThat(text(get("/metrics", AT_ONCE)).lines())
                .contains(
                        "quorate_wal_fsync_duration_seconds_bucket{le=\"0.0025\"} 0",
                        "quorate_wal_fsync_duration_seconds_bucket{le=\"0.005\"} 1",
                        "quorate_wal_fsync_duration_seconds_sum 0.003",
                        "quorate_wal_queue_duration_seconds_count 1");
    }

    @Test
    void exchangesWithAPeerAreAHistogram() {
        DurationHistogram times = new DurationHistogram();
        times.record(200_000);
        times.record(3_000_000);
        peers = List.of(withTimes(peer("n2", PeerStanding.UP, ""), times.counts()));
        String name = "quorate_peer_exchange_duration_seconds";
        assertThat(text(get("/metrics", AT_ONCE)).lines())
                .contains(
                        name + "_bucket{peer=\"n2\",le=\"1.0E-4\"} 0",
                        name + "_bucket{peer=\"n2\",le=\"2.5E-4\"} 1",
                        name + "_bucket{peer=\"n2\",le=\"+Inf\"} 2",
                        name + "_sum{peer=\"n2\"} 0.0032");
    }

    @Test
    void anyStatusCanBeCounted() {
        for (int status : new int[] {-1, 0, 99, 100, 599, 600, Integer.MAX_VALUE}) {
            requests.answered(Operation.OTHER, status, 1);
        }
        assertThat(text(get("/metrics", AT_ONCE)))
                .contains("_count{code=\"100\",op=\"other\",replicas=\"none\"} 4")
                .contains("_count{code=\"599\",op=\"other\",replicas=\"none\"} 3");
    }

    @Test
    void aListenersFiguresAreThereUnderItsName() throws Exception {
        try (ExecutorScheduler scheduler = new ExecutorScheduler("timer");
                HttpListener listener =
                        TestListener.start(
                                1,
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
}
