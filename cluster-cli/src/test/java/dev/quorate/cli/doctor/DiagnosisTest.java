package dev.quorate.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.doctor.Finding.Severity;
import dev.quorate.cli.local.MetricsText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is found in what nodes say: each section of the operator's page has a cluster for it. */
class DiagnosisTest {

    private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");
    private static final String Z = "z{a=\"\\\"}\"} NaN";
    private static final List<String> ALL = List.of("n1", "n2", "n3");

    private static NodeInterview.NodeReport well(String name) {
        String peers =
                ALL.stream()
                        .filter(other -> !other.equals(name))
                        .map(other -> "quorate_peer_up{peer=\"" + other + "\"} 1\n")
                        .collect(Collectors.joining());
        return withMetrics(
                name,
                "",
                peers
                        + "quorate_build_info{io=\"x\",node=\"n\",version=\"1.0\"} 1\n"
                        + "quorate_disk_free_bytes 9.0E9\nquorate_sstable_size_bytes 1.0E9\n"
                        + "quorate_clock_offset_seconds{peer=\"n9\"} 0.01\n"
                        + "quorate_repair_age_seconds{peer=\"n9\"} 3599\n"
                        + "quorate_tombstones 7\n"
                        + "quorate_tombstones_collected_timestamp_seconds "
                        + (NOW.getEpochSecond() - 20_000)
                        + "\nquorate_requests_rejected_total{reason=\"busy\"} 5\n"
                        + "process_open_fds 100\nprocess_max_fds 1024\n");
    }

    private static NodeInterview.NodeReport withMetrics(String name, String before, String now) {
        return report(
                name,
                "placement",
                List.of(),
                MetricsText.parse(before.isEmpty() ? now : before),
                MetricsText.parse(now),
                List.of("fresh 2026-11-24T12:00:00.123Z 17", "half unreadable"),
                Instant.EPOCH);
    }

    private static NodeInterview.NodeReport report(
            String name,
            String placement,
            List<String> failedChecks,
            MetricsText before,
            MetricsText now,
            List<String> checkpoints,
            Instant certificateEnds) {
        return new NodeInterview.NodeReport(
                "http://" + name,
                name,
                "",
                false,
                ALL,
                placement,
                failedChecks,
                before,
                now,
                2,
                checkpoints,
                certificateEnds.toEpochMilli());
    }

    /** n1 as it is when all is well, but for some metrics. */
    private static NodeInterview.NodeReport n1With(String metrics) {
        String peers = "quorate_peer_up{peer=\"n2\"} 1\nquorate_peer_up{peer=\"n3\"} 1\n";
        MetricsText now =
                MetricsText.parse(
                        peers + "quorate_build_info{version=\"1.0\"} 1\n" + metrics + "\n");
        return report(
                "n1", "placement", List.of(), MetricsText.NONE, now, List.of(), Instant.EPOCH);
    }

    private static NodeInterview.NodeReport n1(
            String placement,
            List<String> failedChecks,
            List<String> checkpoints,
            Instant certificateEnds) {
        NodeInterview.NodeReport well = well("n1");
        return report(
                "n1",
                placement,
                failedChecks,
                well.before(),
                well.now(),
                checkpoints,
                certificateEnds);
    }

    private static NodeInterview.NodeReport n1Failing(String check) {
        return n1("placement", List.of(check), List.of(), Instant.EPOCH);
    }

    private static NodeInterview.NodeReport n1(List<String> checkpoints, Instant certificateEnds) {
        return n1("placement", List.of(), checkpoints, certificateEnds);
    }

    private static NodeInterview.NodeReport n1Placed(String placement) {
        return n1(placement, List.of(), List.of(), Instant.EPOCH);
    }

    private static List<Finding> diagnosis(NodeInterview.NodeReport... reports) {
        return Diagnosis.of(List.of(reports), NOW.toEpochMilli());
    }

    @Test
    void ofAClusterThatIsWellThereIsNothing() {
        assertThat(diagnosis(well("n1"), well("n2"), well("n3"))).isEmpty();
    }

    private static Arguments broken(
            Finding.Section section,
            Severity severity,
            String words,
            NodeInterview.NodeReport instead) {
        return Arguments.of(section, severity, words, instead);
    }

    private static Stream<Arguments> brokenNodes() {
        return Stream.of(
                broken(
                        Finding.Section.NODE_DOWN,
                        Severity.CRITICAL,
                        "does not answer: refused",
                        NodeInterview.NodeReport.failed("http://n1", "refused", false)),
                broken(
                        Finding.Section.CERTIFICATE,
                        Severity.CRITICAL,
                        "does not answer: (certificate_expired)",
                        NodeInterview.NodeReport.failed(
                                "http://n1", "(certificate_expired) validity check failed", false)),
                broken(
                        Finding.Section.TOKEN,
                        Severity.WARNING,
                        "refuses the token",
                        NodeInterview.NodeReport.failed("http://n1", "401 Unauthorized", true)),
                broken(
                        Finding.Section.NO_VOTE,
                        Severity.WARNING,
                        "does not vote yet",
                        n1Failing("data: it fetches what it may lack")),
                broken(
                        Finding.Section.DISK_FULL,
                        Severity.CRITICAL,
                        "takes no writes",
                        n1Failing("disk: 0 bytes free, 100 needed for writes")),
                broken(
                        Finding.Section.DISK_FULL,
                        Severity.WARNING,
                        "286 MiB free, and its tables take 1907",
                        n1With("quorate_disk_free_bytes 3.0E8\nquorate_sstable_size_bytes 2.0E9")),
                broken(
                        Finding.Section.NO_QUORUM,
                        Severity.CRITICAL,
                        "Writes through it fail",
                        n1Failing("quorum: 1 of 3 members are up and vote")),
                broken(
                        Finding.Section.NO_QUORUM,
                        Severity.CRITICAL,
                        "1.5 operations a second",
                        n1With("quorate_quorum_failures_total{op=\"get\"} 3")),
                broken(
                        Finding.Section.DAMAGE,
                        Severity.CRITICAL,
                        "1 tables, 2 ranges",
                        n1With("quorate_sstables_damaged 1\nquorate_damaged_ranges 2")),
                broken(
                        Finding.Section.DAMAGE,
                        Severity.WARNING,
                        "has healed it",
                        n1With("quorate_checksum_failures_total 1")),
                broken(
                        Finding.Section.CLOCK,
                        Severity.WARNING,
                        "The clock of n3 is 400 ms behind its own",
                        n1With("quorate_clock_offset_seconds{peer=\"n3\"} -0.4")),
                broken(
                        Finding.Section.REPLICAS_DIFFER,
                        Severity.WARNING,
                        "n2 may have differed for 3.5 hours",
                        n1With("quorate_repair_age_seconds{peer=\"n2\"} 12600")),
                broken(
                        Finding.Section.REPLICAS_DIFFER,
                        Severity.NOTE,
                        "dropped hints",
                        n1With("quorate_hints_dropped_total{reason=\"old\"} 1")),
                broken(
                        Finding.Section.DELETES,
                        Severity.WARNING,
                        "5 tombstones cannot be dropped: some member has not confirmed for 2.0 days",
                        n1With(
                                "quorate_tombstones 5\n"
                                        + "quorate_tombstones_collected_timestamp_seconds "
                                        + (NOW.getEpochSecond() - 172_800))),
                broken(
                        Finding.Section.LOAD,
                        Severity.WARNING,
                        "refuses 10 requests a second",
                        n1With("quorate_requests_rejected_total{reason=\"busy\"} 20")),
                broken(
                        Finding.Section.LOAD,
                        Severity.WARNING,
                        "delays writes",
                        n1With("quorate_write_stall_seconds_total 0.5")),
                broken(
                        Finding.Section.LOAD,
                        Severity.WARNING,
                        "900 of 1024 files",
                        n1With("process_open_fds 900\nprocess_max_fds 1024")),
                broken(
                        Finding.Section.VERSIONS,
                        Severity.NOTE,
                        "It runs version 1.0, and n1 0.9",
                        withMetrics(
                                "n1",
                                "",
                                """
                                quorate_peer_up{peer="n2"} 1
                                quorate_peer_up{peer="n3"} 1
                                quorate_build_info{version="0.9"} 1
                                """)),
                broken(
                        Finding.Section.OTHER_CLUSTER,
                        Severity.CRITICAL,
                        "differ from those of n1",
                        n1Placed("another")),
                broken(
                        Finding.Section.CHANGE,
                        Severity.NOTE,
                        "./quorate member list says what the change waits for",
                        withMetrics(
                                "n1",
                                "",
                                """
                                quorate_peer_up{peer="n2"} 1
                                quorate_peer_up{peer="n3"} 1
                                quorate_build_info{version="1.0"} 1
                                quorate_change_active 1
                                """)),
                broken(
                        Finding.Section.CHANGE,
                        Severity.WARNING,
                        "It uses epoch 0 of the members, and n1 epoch 7",
                        withMetrics(
                                "n1",
                                "",
                                """
                                quorate_peer_up{peer="n2"} 1
                                quorate_peer_up{peer="n3"} 1
                                quorate_build_info{version="1.0"} 1
                                quorate_topology_epoch 7
                                """)),
                broken(
                        Finding.Section.CHECKPOINTS,
                        Severity.NOTE,
                        "monday of 2026-11-01T00:00:00.001Z is still there",
                        n1(List.of("monday 2026-11-01T00:00:00.001Z 5"), Instant.EPOCH)),
                broken(
                        Finding.Section.CERTIFICATE,
                        Severity.WARNING,
                        "ends at 2026-12-01T00:00:00Z",
                        n1(List.of(), Instant.parse("2026-12-01T00:00:00Z"))),
                broken(
                        Finding.Section.CERTIFICATE,
                        Severity.CRITICAL,
                        "ends at 2026-11-25T11:59:59Z",
                        n1(List.of(), Instant.parse("2026-11-25T11:59:59Z"))),
                broken(
                        Finding.Section.NETWORK,
                        Severity.CRITICAL,
                        "n1 cannot reach it, and yet it answers here",
                        withMetrics(
                                "n1",
                                "",
                                """
                                quorate_peer_up{peer="n2"} 0
                                quorate_peer_up{peer="n3"} 1
                                quorate_build_info{version="1.0"} 1
                                """)));
    }

    @ParameterizedTest
    @MethodSource("brokenNodes")
    void whatIsWrongIsFound(
            Finding.Section section,
            Severity severity,
            String words,
            NodeInterview.NodeReport instead) {
        List<Finding> findings = new ArrayList<>(diagnosis(instead, well("n2"), well("n3")));
        if (instead.name() == null) {
            // The others still see it up: that is said too.
            assertThat(findings.removeIf(each -> each.sentences().contains("It is up, as n2, n3")))
                    .isTrue();
        }
        if (section == Finding.Section.VERSIONS) {
            // The second and the third differ from the first.
            assertThat(findings).hasSize(2);
            findings.removeLast();
        }
        boolean differs = section == Finding.Section.CHANGE && severity == Severity.WARNING;
        if (section == Finding.Section.OTHER_CLUSTER || differs) {
            assertThat(findings).hasSize(2);
            findings.removeLast();
        }
        assertThat(findings)
                .singleElement()
                .satisfies(
                        each -> {
                            assertThat(each.section()).isEqualTo(section);
                            assertThat(each.severity()).isEqualTo(severity);
                            assertThat(each.sentences()).contains(words);
                        });
    }

    @Test
    void whatAllSeeDownIsDown() {
        NodeInterview.NodeReport one =
                withMetrics(
                        "n1",
                        "",
                        "quorate_peer_up{peer=\"n2\"} 1\nquorate_peer_up{peer=\"n3\"} 0\n");
        NodeInterview.NodeReport two =
                withMetrics(
                        "n2",
                        "",
                        "quorate_peer_up{peer=\"n1\"} 1\nquorate_peer_up{peer=\"n3\"} 0\n");
        assertThat(diagnosis(one, two))
                .singleElement()
                .isEqualTo(
                        new Finding(
                                Severity.CRITICAL,
                                "n3",
                                "It is down, as n1, n2 see it.",
                                Finding.Section.NODE_DOWN));
    }

    @Test
    void theWorstComesFirst() {
        NodeInterview.NodeReport bad =
                n1With(
                        "quorate_hints_dropped_total 1\nquorate_clock_offset_seconds{peer=\"n3\"} 1\n"
                                + "quorate_damaged_ranges 1");
        assertThat(diagnosis(bad, well("n2"), well("n3")))
                .extracting(Finding::severity)
                .containsExactly(Severity.CRITICAL, Severity.WARNING, Severity.NOTE);
    }

    @Test
    void garbageIsNoMetric() {
        MetricsText text =
                MetricsText.parse(
                        String.join("\n", "# HELP x", "", "}{", "x{ 1", "y 1x", Z, "w{} 5", "v"));
        assertThat(text.all("z"))
                .singleElement()
                .extracting(MetricsText.Sample::labels)
                .isEqualTo(Map.of("a", "\\\"}"));
        assertThat(text.sum("w")).isEqualTo(5);
        assertThat(text.all("y")).isEmpty();
    }

    /** Each section is there, and each has a cluster above. */
    @Test
    void eachSectionIsInTheOperatorsPage() throws IOException {
        Path page = Path.of(System.getProperty("quorate.root"), "docs", "runbook.md");
        Set<String> anchors =
                Files.readString(page, StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.startsWith("#"))
                        .map(DiagnosisTest::anchor)
                        .collect(Collectors.toSet());
        for (Finding.Section section : Finding.Section.values()) {
            assertThat(anchors).as(section.link()).contains(section.anchor);
        }
        assertThat(brokenNodes().map(each -> each.get()[0]).collect(Collectors.toSet()))
                .containsAll(List.of(Finding.Section.values()));
    }

    /** Each alert leads to a section. */
    @Test
    void eachAlertIsInTheOperatorsPage() throws IOException {
        Path docs = Path.of(System.getProperty("quorate.root"), "docs");
        List<String> rows =
                Files.readAllLines(docs.resolve("runbook.md"), StandardCharsets.UTF_8).stream()
                        .filter(line -> line.startsWith("| Quorate"))
                        .toList();
        List<String> alerts =
                Files.readAllLines(docs.resolve("alert-rules.yml"), StandardCharsets.UTF_8).stream()
                        .filter(line -> line.contains("- alert: "))
                        .map(line -> line.substring(line.indexOf(": ") + 2).strip())
                        .toList();
        assertThat(alerts).isNotEmpty();
        for (String alert : alerts) {
            assertThat(rows).as(alert).anyMatch(row -> row.contains(alert) && row.contains("](#"));
        }
    }

    private static String anchor(String heading) {
        return heading.replaceFirst("#+ ", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9 -]", "")
                .replace(' ', '-');
    }
}
