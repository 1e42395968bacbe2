package dev.quorate.loadtest.report.publish;

import static dev.quorate.loadtest.report.Golden.assertGolden;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.report.ProfiledRun;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Samples;
import dev.quorate.loadtest.report.flame.Part;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportMarkdownTest {

    static Report full() {
        Report report =
                Samples.report(
                        List.of(Samples.get(), Samples.refused(), Samples.published()),
                        "The scenario 'DELETE 2/3' was interrupted.");
        return report.with(
                List.of(
                        profile("get", "n1", ProfileKind.CPU),
                        profile("get", "n2", ProfileKind.CPU),
                        profile("put-new", "n1", ProfileKind.ALLOC)),
                report.missing());
    }

    private static ProfiledRun profile(String scenario, String node, ProfileKind kind) {
        return new ProfiledRun(
                scenario,
                node,
                kind,
                Path.of("flames/a.collapsed.gz"),
                Path.of("flames/a.html"),
                node.equals("n1")
                        ? Map.of(Part.SOCKETS, 600L, Part.LOG, 300L, Part.OTHER, 100L)
                        : Map.of(Part.SOCKETS, 1L, Part.JVM, 2L));
    }

    @Test
    void saysEverything() throws IOException {
        assertGolden("publish/report.md", ReportMarkdown.write(full()));
    }

    @Test
    void whatIsMissingStandsAtTheTopAndAtTheEnd() {
        String text =
                ReportMarkdown.write(
                        Samples.report(List.of(Samples.get()), "One.", "Two.", "Three.", "Four."));
        assertThat(text)
                .startsWith(
                        """
                        # Load report

                        **This report is not complete:**

                        - One.
                        - Two.
                        - Three.
                        - [and more](#what-is-missing)

                        Begun on""")
                .endsWith(
                        """
                        ## What is missing

                        - One.
                        - Two.
                        - Three.
                        - Four.
                        """);
    }

    @Test
    void anEmptyReportIsAReport() {
        String text = ReportMarkdown.write(Samples.report(List.of(), "All of it."));
        assertThat(text)
                .contains(": 0 scenarios.")
                .doesNotContain("| Scenario")
                .contains("All of it.");
        assertThat(ReportMarkdown.write(Samples.report(List.of(Samples.get()))))
                .doesNotContain("not complete")
                .endsWith("Nothing: all that was to be measured is here.\n");
    }
}
