package dev.quorate.loadtest.report.publish;

import static dev.quorate.loadtest.report.publish.Markdown.escape;

import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.report.ProfiledRun;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.flame.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The section of a report on its profiles: the share of each part of the system, and flame graphs.
 */
final class ProfileSection {

    private final Markdown text;
    private final Map<String, String> titles = new LinkedHashMap<>();

    private final boolean isWhole;

    private ProfileSection(Markdown text, Report report, boolean isWhole) {
        this.text = text;
        this.isWhole = isWhole;
        for (ScenarioResult scenario : report.scenarios()) {
            titles.put(scenario.name(), scenario.title());
        }
    }

    /**
     * Appends the section.
     *
     * @param isWhole whether all files of the report are there, rather than the flame graphs of the
     *     first node alone
     */
    static void write(Markdown text, Report report, boolean isWhole) {
        new ProfileSection(text, report, isWhole).write(report.profiles());
    }

    private void write(List<ProfiledRun> profiles) {
        text.heading(2, "Where the time went");
        text.paragraph(
                "Profiles are of runs of their own, at the same rate, since to profile costs time. A"
                        + " stack counts for the part of the system that the frame nearest to its"
                        + " leaf is in: a socket that the coordinator writes to counts as sockets.");
        for (ProfileKind kind : ProfileKind.values()) {
            List<ProfiledRun> ofKind =
                    profiles.stream().filter(profile -> profile.kind() == kind).toList();
            if (!ofKind.isEmpty()) {
                text.heading(3, title(kind));
                text.table(1, table(ofKind));
                text.paragraph(explanation(kind));
                String first = ofKind.getFirst().node();
                ofKind.stream()
                        .filter(profile -> isWhole || profile.node().equals(first))
                        .forEach(this::picture);
            }
        }
    }

    private static String title(ProfileKind kind) {
        return switch (kind) {
            case CPU -> "Processor time";
            case ALLOC -> "Allocated memory";
            case LOCK -> "Waiting for locks";
        };
    }

    private static String explanation(ProfileKind kind) {
        String shares =
                switch (kind) {
                    case CPU -> "Percent of the processor time of that node.";
                    case ALLOC -> "Percent of the bytes that the node allocated.";
                    case LOCK -> "Percent of the time that threads of the node waited for locks.";
                };
        return shares
                + " In a flame graph each frame is as wide as its share, and stands on the one that"
                + " called it; the order from left to right means nothing.";
    }

    /** How a profile's counts are counted. */
    static String unit(ProfileKind kind) {
        return switch (kind) {
            case CPU -> "samples";
            case ALLOC -> "bytes";
            case LOCK -> "nanoseconds";
        };
    }

    /** A row for each part that any of the profiles has something in. */
    private List<List<String>> table(List<ProfiledRun> profiles) {
        List<List<String>> lines = new ArrayList<>();
        List<String> heading = new ArrayList<>(List.of("Part"));
        profiles.forEach(profile -> heading.add(escape(name(profile))));
        lines.add(heading);
        Arrays.stream(Part.values())
                .filter(part -> profiles.stream().anyMatch(profile -> count(profile, part) > 0))
                .map(part -> line(part, profiles))
                .forEach(lines::add);
        return lines;
    }

    private static List<String> line(Part part, List<ProfiledRun> profiles) {
        List<String> line = new ArrayList<>();
        line.add("**" + part.label() + "**: " + part.explanation());
        for (ProfiledRun profile : profiles) {
            long all = profile.parts().values().stream().mapToLong(Long::longValue).sum();
            line.add(Markdown.percent((double) count(profile, part), (double) all));
        }
        return line;
    }

    private static long count(ProfiledRun profile, Part part) {
        return profile.parts().getOrDefault(part, 0L);
    }

    /** Of the scenario and the node. */
    private String name(ProfiledRun profile) {
        String title = titles.get(profile.scenarioName());
        return (title == null ? profile.scenarioName() : title) + ", " + profile.node();
    }

    private void picture(ProfiledRun profile) {
        String file = ReportFiles.flame(profile);
        String links =
                "; [as a page to search and to zoom](%s.html); [as stacks](%s%s)"
                        .formatted(file, file, ReportFiles.STACKS);
        text.paragraph(
                "**%s**: as a flame graph%s."
                        .formatted(escape(name(profile)), isWhole ? links : ""));
        text.picture(title(profile.kind()) + ": " + name(profile), file + ".svg");
    }
}
