package dev.quorate.cli.doctor;

import static dev.quorate.cli.doctor.Finding.Severity.CRITICAL;
import static dev.quorate.cli.doctor.Finding.Severity.NOTE;
import static dev.quorate.cli.doctor.Finding.Severity.WARNING;

import dev.quorate.cli.doctor.Finding.Section;
import dev.quorate.cli.doctor.Finding.Severity;
import dev.quorate.cli.doctor.NodeInterview.NodeReport;
import dev.quorate.cli.local.MetricsText.Sample;
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

/** Finds problems of a cluster in the reports of its nodes. */
final class Diagnosis {

    /** The same limit as in the alert rules; peers refuse each other at {@code max-clock-drift}. */
    private static final double CLOCK_SECONDS = 0.25;

    /** Repairs run every hour. */
    private static final Duration OLD_REPAIR = Duration.ofHours(3);

    /** Longer than hints wait (three hours) and than the repair interval (an hour). */
    private static final Duration OLD_WATERMARK = Duration.ofDays(1);

    /** A compaction may need as much space as the tables that it merges. */
    private static final double FREE_OF_TABLES = 0.3;

    private static final double BUSY_FILES = 0.8;
    private static final double REFUSED_PER_SECOND = 1;
    private static final double STALLED_OF_SECOND = 0.1;
    private static final double MILLIS = 1_000;
    private static final double MEBIBYTE = 1 << 20;

    private final List<NodeReport> reports;
    private final long nowMillis;
    private final List<Finding> findings = new ArrayList<>();

    /** The member or URL that the next finding is about. */
    private String subject = "";

    private Diagnosis(List<NodeReport> reports, long nowMillis) {
        this.reports = reports;
        this.nowMillis = nowMillis;
    }

    /** All findings, the worst first. */
    static List<Finding> of(List<NodeReport> reports, long nowMillis) {
        Diagnosis diagnosis = new Diagnosis(reports, nowMillis);
        diagnosis.run();
        return diagnosis.findings.stream().sorted(Comparator.comparing(Finding::severity)).toList();
    }

    private void run() {
        configuration();
        for (NodeReport report : reports) {
            subject = report.name() == null ? report.url() : report.name();
            if (report.isRefused()) {
                add(WARNING, Section.TOKEN, "It refuses the token: %s", report.problem());
            } else if (report.name() == null) {
                boolean isExpired = report.problem().contains("certificate_expired");
                Section section = isExpired ? Section.CERTIFICATE : Section.NODE_DOWN;
                add(CRITICAL, section, "It does not answer: %s", report.problem());
            } else {
                readiness(report);
                disk(report);
                damage(report);
                clocks(report);
                replicas(report);
                load(report);
                leftovers(report);
                change(report);
            }
        }
        peers();
    }

    @SuppressWarnings("AnnotateFormatMethod") // Its annotation is of no dependency.
    private void add(Severity severity, Section section, String sentences, Object... values) {
        String text = String.format(Locale.ROOT, sentences, values);
        findings.add(new Finding(severity, subject, text, section));
    }

    // ---- Peers of nodes.

    /** Finds problems of members in the reports of the others. */
    private void peers() {
        Set<String> answering = new HashSet<>();
        Set<String> members = new TreeSet<>();
        for (NodeReport report : reports) {
            members.addAll(report.members());
            if (report.name() != null) {
                answering.add(report.name());
            }
        }
        for (String member : members) {
            List<String> down = new ArrayList<>();
            List<String> up = new ArrayList<>();
            for (NodeReport report : reports) {
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
        subject = member;
        String seen = names(up, "sees it", "see it");
        if (!down.isEmpty() && (answers || !up.isEmpty())) {
            String how = names(down, "cannot reach it", "cannot reach it");
            add(
                    CRITICAL,
                    Section.NETWORK,
                    "%s, and yet %s.",
                    how,
                    answers ? "it answers here" : seen);
        } else if (!down.isEmpty()) {
            String how = names(down, "sees it", "see it");
            add(CRITICAL, Section.NODE_DOWN, "It is down, as %s.", how);
        } else if (!answers && !up.isEmpty()) {
            String text = "It is up, as %s, but does not answer here; --url names its address.";
            add(NOTE, Section.NODE_DOWN, text, seen);
        }
    }

    private static String names(List<String> nodes, String ofOne, String ofSeveral) {
        return String.join(", ", nodes) + " " + (nodes.size() == 1 ? ofOne : ofSeveral);
    }

    // ---- The report of one node.

    private void readiness(NodeReport report) {
        for (String check : report.failedChecks()) {
            String what = check.substring(0, Math.max(0, check.indexOf(':')));
            switch (what) {
                case "data" -> add(WARNING, Section.NO_VOTE, "It does not vote yet: %s", check);
                case "disk" -> add(CRITICAL, Section.DISK_FULL, "It takes no writes: %s", check);
                case "quorum" ->
                        add(CRITICAL, Section.NO_QUORUM, "Writes through it fail: %s", check);
                default -> add(NOTE, Section.NODE_DOWN, "It is not ready: %s", check);
            }
        }
    }

    private void disk(NodeReport report) {
        double free = report.now().sum("quorate_disk_free_bytes");
        double tables = report.now().sum("quorate_sstable_size_bytes");
        boolean isKnown = !report.now().all("quorate_disk_free_bytes").isEmpty();
        boolean isSaid = report.failedChecks().stream().anyMatch(each -> each.startsWith("disk:"));
        if (isKnown && !isSaid && free < FREE_OF_TABLES * tables) {
            add(
                    WARNING,
                    Section.DISK_FULL,
                    "Its disk has %.0f MiB free, and its tables take %.0f: compaction may run out of"
                            + " space.",
                    free / MEBIBYTE,
                    tables / MEBIBYTE);
        }
    }

    private void damage(NodeReport report) {
        double ranges = report.now().sum("quorate_damaged_ranges");
        double tables = report.now().sum("quorate_sstables_damaged");
        if (ranges > 0 || tables > 0) {
            add(
                    CRITICAL,
                    Section.DAMAGE,
                    "It has damaged data that is not healed: %.0f tables, %.0f ranges of keys. Its disk"
                            + " may be failing.",
                    tables,
                    ranges);
        } else if (report.now().sum("quorate_checksum_failures_total") > 0) {
            add(
                    WARNING,
                    Section.DAMAGE,
                    "It found damaged data since its start, and has healed it. Its disk may fail.");
        }
    }

    private void clocks(NodeReport report) {
        for (Sample offset : report.now().all("quorate_clock_offset_seconds")) {
            if (Math.abs(offset.value()) > CLOCK_SECONDS) {
                add(
                        WARNING,
                        Section.CLOCK,
                        "The clock of %s is %.0f ms %s its own.",
                        offset.label("peer"),
                        Math.abs(offset.value()) * MILLIS,
                        offset.value() > 0 ? "ahead of" : "behind");
            }
        }
    }

    private void replicas(NodeReport report) {
        for (Sample age : report.now().all("quorate_repair_age_seconds")) {
            if (age.value() > OLD_REPAIR.toSeconds()) {
                add(
                        WARNING,
                        Section.REPLICAS_DIFFER,
                        "Replicas of it and %s may have differed for %.1f hours: no repair completed.",
                        age.label("peer"),
                        age.value() / Duration.ofHours(1).toSeconds());
            }
        }
        if (report.now().sum("quorate_hints_dropped_total") > 0) {
            add(
                    NOTE,
                    Section.REPLICAS_DIFFER,
                    "It has dropped hints since its start: repair delivers the missed writes.");
        }
        double collected = report.now().sum("quorate_tombstones_collected_timestamp_seconds");
        double tombstones = report.now().sum("quorate_tombstones");
        double age = nowMillis / MILLIS - collected;
        if (tombstones > 0 && collected > 0 && age > OLD_WATERMARK.toSeconds()) {
            add(
                    WARNING,
                    Section.DELETES,
                    "%.0f tombstones cannot be dropped: some member has not confirmed for %.1f days"
                            + " that it has all writes.",
                    tombstones,
                    age / Duration.ofDays(1).toSeconds());
        }
    }

    private void load(NodeReport report) {
        double refused = report.rate("quorate_requests_rejected_total");
        if (refused > REFUSED_PER_SECOND) {
            add(WARNING, Section.LOAD, "It refuses %.0f requests a second.", refused);
        }
        double failed = report.rate("quorate_quorum_failures_total");
        if (failed > 0) {
            add(CRITICAL, Section.NO_QUORUM, "%.1f operations a second miss their quorum.", failed);
        }
        if (report.rate("quorate_write_stall_seconds_total") > STALLED_OF_SECOND) {
            add(WARNING, Section.LOAD, "It delays writes: its disk is too slow for them.");
        }
        double open = report.now().sum("process_open_fds");
        double most = report.now().sum("process_max_fds");
        if (most > 0 && open > BUSY_FILES * most) {
            add(
                    WARNING,
                    Section.LOAD,
                    "It has %.0f of %.0f files and connections open.",
                    open,
                    most);
        }
    }

    private void leftovers(NodeReport report) {
        for (String line : report.checkpoints()) {
            String[] words = line.split(" ", -1);
            if (words.length == 3 && isOld(words[1])) {
                add(
                        NOTE,
                        Section.CHECKPOINTS,
                        "The checkpoint %s of %s is still there, and retains replaced tables.",
                        words[0],
                        words[1]);
            }
        }
        long ends = report.certificateEndsMillis();
        if (ends != 0 && ends - nowMillis < Duration.ofDays(14).toMillis()) {
            add(
                    ends < nowMillis ? CRITICAL : WARNING,
                    Section.CERTIFICATE,
                    "Its certificate ends at %s.",
                    Instant.ofEpochMilli(ends));
        }
    }

    private void change(NodeReport report) {
        if (report.now().sum("quorate_change_active") > 0) {
            add(
                    NOTE,
                    Section.CHANGE,
                    "Its members change: ./quorate member list says what the change waits for.");
        }
    }

    private boolean isOld(String moment) {
        try {
            long millis = Instant.parse(moment).toEpochMilli();
            return nowMillis - millis > Duration.ofDays(7).toMillis();
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    // ---- All nodes together.

    private void configuration() {
        List<NodeReport> answering = reports.stream().filter(each -> each.name() != null).toList();
        for (NodeReport report : answering) {
            NodeReport first = answering.getFirst();
            subject = String.valueOf(report.name());
            String other = String.valueOf(first.name());
            if (epoch(report) != epoch(first)) {
                add(
                        WARNING,
                        Section.CHANGE,
                        "It uses epoch %.0f of the members, and %s epoch %.0f. If that lasts, the two do"
                                + " not reach each other.",
                        epoch(report),
                        other,
                        epoch(first));
            } else if (!report.placement().equals(first.placement())) {
                add(
                        CRITICAL,
                        Section.OTHER_CLUSTER,
                        "Its topology, replication-factor or virtual-nodes differ from those of %s.",
                        other);
            }
            if (!version(report).equals(version(first))) {
                add(
                        NOTE,
                        Section.VERSIONS,
                        "It runs version %s, and %s %s.",
                        version(report),
                        other,
                        version(first));
            }
        }
    }

    private static double epoch(NodeReport report) {
        return report.now().sum("quorate_topology_epoch");
    }

    private static String version(NodeReport report) {
        List<Sample> info = report.now().all("quorate_build_info");
        return info.isEmpty() ? "" : info.getFirst().label("version");
    }
}
