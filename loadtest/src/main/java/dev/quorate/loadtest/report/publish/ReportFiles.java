package dev.quorate.loadtest.report.publish;

import dev.quorate.loadtest.report.ProfiledRun;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.svg.Svg;
import java.util.Locale;

/** How the files of a report are named, relative to its folder. */
final class ReportFiles {

    static final String JSON = "report.json";
    static final String MARKDOWN = "report.md";
    static final String HTML = "report.html";
    static final String RAW = "raw";
    static final String PLOTS = "plots";
    static final String FLAMES = "flames";

    /** The extension of stacks. */
    static final String STACKS = ".collapsed.gz";

    private ReportFiles() {}

    static String spectrum(ScenarioResult scenario) {
        return PLOTS + "/" + scenario.name() + "-latency.svg";
    }

    static String overTime(ScenarioResult scenario) {
        return PLOTS + "/" + scenario.name() + "-time.svg";
    }

    static String breakingPoint(ScenarioResult scenario) {
        return PLOTS + "/" + scenario.name() + "-breaking-point.svg";
    }

    /** What belongs to a profile, but for the dot and the extension. */
    static String flame(ProfiledRun profile) {
        String kind = profile.kind().name().toLowerCase(Locale.ROOT);
        return FLAMES + "/" + profile.scenarioName() + "." + word(profile.node()) + "." + kind;
    }

    /** Likewise of a run, counted from 1. */
    static String run(String scenarioName, int run) {
        return RAW + "/" + scenarioName + "-" + run;
    }

    /** Likewise of a run of the static answer. */
    static String staticRun(String scenarioName, int run) {
        return RAW + "/" + scenarioName + ".static-" + run;
    }

    private static String word(String node) {
        return node.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }

    /** The id of a drawing: that of its file. */
    static String id(String file) {
        return Svg.id(file.replaceFirst("\\.svg$", ""));
    }
}
