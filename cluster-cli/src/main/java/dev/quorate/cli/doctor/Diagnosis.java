package dev.quorate.cli.doctor;

import static dev.quorate.cli.doctor.Finding.Severity.CRITICAL;
import static dev.quorate.cli.doctor.Finding.Severity.NOTE;
import static dev.quorate.cli.doctor.Finding.Severity.WARNING;

import dev.quorate.cli.doctor.Finding.Section;
import dev.quorate.cli.doctor.Finding.Severity;
import dev.quorate.cli.doctor.MetricsText.Sample;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Decides what is wrong with a cluster, from what its nodes say. */
final class Diagnosis {

    /** As the alert rules have it; peers refuse each other at {@code max-clock-drift}. */
    private static final double CLOCK_SECONDS = 0.25;

    /** Repairs run every hour. */
    private static final Duration OLD_REPAIR = Duration.ofHours(3);

    /** Hints wait three hours, repairs an hour; a day is neither. */
    private static final Duration OLD_WATERMARK = Duration.ofDays(1);

    private static final Duration OLD_CHECKPOINT = Duration.ofDays(7);
    private static final Duration CERTIFICATE_ENDS = Duration.ofDays(14);

    /** A compaction may need as much again as the tables have that it merges. */
    private static final double FREE_OF_TABLES = 0.3;

    private static final double BUSY_FILES = 0.8;
    private static final double REFUSED_PER_SECOND = 1;
    private static final double STALLED_OF_SECOND = 0.1;
    private static final double MILLIS = 1_000;
    private static final double MEBIBYTE = 1 << 20;

    private final List<NodeInterview.NodeReport> reports;
    private final long nowMillis;
    private final List<Finding> findings = new ArrayList<>();

    private Diagnosis(List<NodeInterview.NodeReport> reports, long nowMillis) {
        this.reports = reports;
        this.nowMillis = nowMillis;
    }

    /** All findings, the worst first. */
    static List<Finding> of(List<NodeInterview.NodeReport> reports, long nowMillis) {
        Diagnosis diagnosis = new Diagnosis(reports, nowMillis);
        diagnosis.run();
        return diagnosis.findings.stream().sorted(Comparator.comparing(Finding::severity)).toList();
    }

    private void run() {
        configuration();
        for (NodeInterview.NodeReport report : reports) {
            if (report.name() == null) {
                silent(report.url(), report.isRefused(), report.problem());
            } else {
                readiness(report, report.name());
                disk(report, report.name());
                damage(report, report.name());
                clocks(report, report.name());
                replicas(report, report.name());
                load(report, report.name());
                leftovers(report, report.name());
            }
        }
        peers();
    }

    @SuppressWarnings("AnnotateFormatMethod") // Its annotation is of no dependency.
    private void add(
            Severity severity, String node, Section section, String sentences, Object... values) {
        String text = String.format(Locale.ROOT, sentences, values);
        findings.add(new Finding(severity, node, text, section));
    }

    // ---- Nodes that do not answer, and how the others see them.

    private void silent(String url, boolean isRefused, String why) {
        if (isRefused) {
            add(
                    WARNING,
                    url,
                    Section.TOKEN,
                    "It refuses the token, so nothing is known of it: %s",
                    why);
        } else {
            add(CRITICAL, url, Section.NODE_DOWN, "It does not answer: %s", why);
        }
    }

    /** Findings about members, from the other members' views. */
    private void peers() {
        Set<String> answering = new HashSet<>();
        Set<String> members = new TreeSet<>();
        for (NodeInterview.NodeReport report : reports) {
            members.addAll(report.members());
            if (report.name() != null) {
                answering.add(report.name());
            }
        }
        for (String member : members) {
            List<String> down = new ArrayList<>();
            List<String> up = new ArrayList<>();
            for (NodeInterview.NodeReport report : reports) {
                for (Sample peer : report.now().all("quorate_peer_up")) {
                    if (peer.label("peer").equals(member)) {
                        (peer.value() == 0 ? down : up).add(Objects.requireNonNull(report.name()));
                    }
                }
            }
            peer(member, answering.contains(member), down, up);
        }
    }

    private void peer(String member, boolean answers, List<String> down, List<String> up) {
        if (down.isEmpty()) {
            if (!answers && !up.isEmpty()) {
                add(
                        NOTE,
                        member,
                        Section.NODE_DOWN,
                        "It is up, as %s, but it was not asked, or does not answer here: --url with"
                                + " its address.",
                        names(up, "sees it", "see it"));
            }
        } else if (answers || !up.isEmpty()) {
            add(
                    CRITICAL,
                    member,
                    Section.NETWORK,
                    "%s, and yet %s.",
                    names(down, "cannot reach it", "cannot reach it"),
                    answers ? "it answers here" : names(up, "sees it", "see it"));
        } else {
            add(
                    CRITICAL,
                    member,
                    Section.NODE_DOWN,
                    "It is down, as %s.",
                    names(down, "sees it", "see it"));
        }
    }

    private static String names(List<String> nodes, String ofOne, String ofSeveral) {
        return String.join(", ", nodes) + " " + (nodes.size() == 1 ? ofOne : ofSeveral);
    }

    // ---- What one node says.

    private void readiness(NodeInterview.NodeReport report, String node) {
        for (String check : report.failedChecks()) {
            String what = check.substring(0, Math.max(0, check.indexOf(':')));
            switch (what) {
                case "data" ->
                        add(WARNING, node, Section.NO_VOTE, "It does not vote yet: %s", check);
                case "disk" ->
                        add(CRITICAL, node, Section.DISK_FULL, "It takes no writes: %s", check);
                case "quorum" ->
                        add(CRITICAL, node, Section.NO_QUORUM, "Writes through it fail: %s", check);
                default -> add(NOTE, node, Section.NODE_DOWN, "It is not ready: %s", check);
            }
        }
    }

    private void disk(NodeInterview.NodeReport report, String node) {
        double free = report.now().sum("quorate_disk_free_bytes").orElse(Double.MAX_VALUE);
        double tables = report.now().sum("quorate_sstable_size_bytes").orElse(0);
        boolean isSaid = report.failedChecks().stream().anyMatch(each -> each.startsWith("disk:"));
        if (!isSaid && free < FREE_OF_TABLES * tables) {
            add(
                    WARNING,
                    node,
                    Section.DISK_FULL,
                    "Its disk has %.0f MiB free, and its tables take %.0f: compaction may run"
                            + " out of space.",
                    free / MEBIBYTE,
                    tables / MEBIBYTE);
        }
    }

    private void damage(NodeInterview.NodeReport report, String node) {
        double ranges = report.now().sum("quorate_damaged_ranges").orElse(0);
        double tables = report.now().sum("quorate_sstables_damaged").orElse(0);
        if (ranges > 0 || tables > 0) {
            add(
                    CRITICAL,
                    node,
                    Section.DAMAGE,
                    "It has damaged data that is not healed: %.0f tables, %.0f ranges of"
                            + " keys. Its disk may be failing.",
                    tables,
                    ranges);
        } else if (report.now().sum("quorate_checksum_failures_total").orElse(0) > 0) {
            add(
                    WARNING,
                    node,
                    Section.DAMAGE,
                    "It has found damaged data since its start, and has healed it. Its disk may be"
                            + " failing.");
        }
    }

    private void clocks(NodeInterview.NodeReport report, String node) {
        for (Sample offset : report.now().all("quorate_clock_offset_seconds")) {
            if (Math.abs(offset.value()) > CLOCK_SECONDS) {
                add(
                        WARNING,
                        node,
                        Section.CLOCK,
                        "The clock of %s is %.0f ms %s its own.",
                        offset.label("peer"),
                        Math.abs(offset.value()) * MILLIS,
                        offset.value() > 0 ? "ahead of" : "behind");
            }
        }
    }

    private void replicas(NodeInterview.NodeReport report, String node) {
        for (Sample age : report.now().all("quorate_repair_age_seconds")) {
            if (age.value() > OLD_REPAIR.toSeconds()) {
                add(
                        WARNING,
                        node,
                        Section.REPLICAS_DIFFER,
                        "Replicas of it and %s may have differed for %.1f hours: so long no"
                                + " repair was complete.",
                        age.label("peer"),
                        age.value() / Duration.ofHours(1).toSeconds());
            }
        }
        if (report.now().sum("quorate_hints_dropped_total").orElse(0) > 0) {
            add(
                    NOTE,
                    node,
                    Section.REPLICAS_DIFFER,
                    "It has dropped hints since its start: what a member missed comes by repair.");
        }
        double collected =
                report.now().sum("quorate_tombstones_collected_timestamp_seconds").orElse(0);
        double tombstones = report.now().sum("quorate_tombstones").orElse(0);
        double age = nowMillis / MILLIS - collected;
        if (tombstones > 0 && collected > 0 && age > OLD_WATERMARK.toSeconds()) {
            add(
                    WARNING,
                    node,
                    Section.DELETES,
                    "%.0f tombstones cannot be dropped: some member has not confirmed for %.1f"
                            + " days that it has everything.",
                    tombstones,
                    age / Duration.ofDays(1).toSeconds());
        }
    }

    private void load(NodeInterview.NodeReport report, String node) {
        double refused = report.rate("quorate_requests_rejected_total");
        if (refused > REFUSED_PER_SECOND) {
            add(WARNING, node, Section.LOAD, "It refuses %.0f requests a second.", refused);
        }
        double failed = report.rate("quorate_quorum_failures_total");
        if (failed > 0) {
            add(
                    CRITICAL,
                    node,
                    Section.NO_QUORUM,
                    "%.1f operations a second get too few answers.",
                    failed);
        }
        if (report.rate("quorate_write_stall_seconds_total") > STALLED_OF_SECOND) {
            add(
                    WARNING,
                    node,
                    Section.LOAD,
                    "It delays writes: its disk is slower than what is written.");
        }
        double open = report.now().sum("process_open_fds").orElse(0);
        double most = report.now().sum("process_max_fds").orElse(Double.MAX_VALUE);
        if (open > BUSY_FILES * most) {
            add(
                    WARNING,
                    node,
                    Section.LOAD,
                    "It has %.0f of %.0f files and connections open.",
                    open,
                    most);
        }
    }

    private void leftovers(NodeInterview.NodeReport report, String node) {
        for (String line : report.checkpoints()) {
            String[] words = line.split(" ", -1);
            if (words.length == 3 && isOld(words[1])) {
                add(
                        NOTE,
                        node,
                        Section.CHECKPOINTS,
                        "The checkpoint %s of %s is still there, and retains replaced tables.",
                        words[0],
                        words[1]);
            }
        }
        long ends = report.certificateEndsMillis();
        if (ends != 0 && ends - nowMillis < CERTIFICATE_ENDS.toMillis()) {
            add(
                    ends < nowMillis ? CRITICAL : WARNING,
                    node,
                    Section.CERTIFICATE,
                    "Its certificate ends at %s.",
                    Instant.ofEpochMilli(ends));
        }
    }

    private boolean isOld(String moment) {
        try {
            long millis = Instant.parse(moment).toEpochMilli();
            return nowMillis - millis > OLD_CHECKPOINT.toMillis();
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    // ---- All nodes together.

    private void configuration() {
        List<NodeInterview.NodeReport> answering =
                reports.stream().filter(each -> each.name() != null).toList();
        for (NodeInterview.NodeReport report : answering) {
            NodeInterview.NodeReport first = answering.getFirst();
            String node = String.valueOf(report.name());
            String other = String.valueOf(first.name());
            if (!report.placement().equals(first.placement())) {
                add(
                        CRITICAL,
                        node,
                        Section.OTHER_CLUSTER,
                        "Its topology, replication-factor or virtual-nodes differ from those of"
                                + " %s.",
                        other);
            }
            if (!version(report).equals(version(first))) {
                add(
                        NOTE,
                        node,
                        Section.VERSIONS,
                        "It runs version %s, and %s %s.",
                        version(report),
                        other,
                        version(first));
            }
        }
    }

    private static String version(NodeInterview.NodeReport report) {
        List<Sample> info = report.now().all("quorate_build_info");
        return info.isEmpty() ? "" : info.getFirst().label("version");
    }
}
