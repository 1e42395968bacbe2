package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.api.ClientObserver.Operation;
import dev.quorate.node.health.PeerStanding;
import dev.quorate.node.http.HttpLimits;
import dev.quorate.node.http.HttpListener;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.runtime.DurationHistogram;
import dev.quorate.node.runtime.ExecutorScheduler;
import dev.quorate.node.runtime.SystemTicker;
import dev.quorate.router.quorum.QuorumSpec;
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
        for (int from = 1; from <= 64; from++) {
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
                        "other: 2074");
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
}
