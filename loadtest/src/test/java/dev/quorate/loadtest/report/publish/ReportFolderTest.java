package dev.quorate.loadtest.report.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.profile.NodeProfiler.ProfileKind;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Report.ProfiledRun;
import dev.quorate.loadtest.report.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFolderTest {

    @TempDir private Path parent;

    private Path folder() {
        return parent.resolve("report");
    }

    private static Report report() {
        return Samples.report(
                List.of(Samples.get(), Samples.refused(), Samples.withoutOneAnswer()),
                "'DELETE 2/3' was <interrupted>.");
    }

    @Test
    void theTextHasAllResultsAndWhatIsMissing() throws Exception {
        ReportFolder.create(folder()).write(report());
        assertThat(folder().resolve("report.md"))
                .content()
                .contains(
                        "# Load report\n",
                        "- 'DELETE 2/3' was \\<interrupted\\>.",
                        "| GET 2/3, three nodes | 15,000 | 10,000 | 9,990 | 1.00 | 4.00 | 8.00 |"
                                + " 20.0 | 10,000 | 2.00 |\n",
                        "| PUT 2/3 \\| \\<b\\>bold\\</b\\> | – | – | no figures | – | – | – | – | – | – |\n",
                        "| PUT of new keys | – | – | 1,235 | 0.10 | 0.40 | 0.80 | 2.00 | – | – |\n",
                        "| does not hold | 20,000 | 17,000 | 900 |\n",
                        "**No figures:** n2 answered 503 to 12 requests.",
                        "Answers: 998 with 201, 1 with 504.");
    }

    @Test
    void eachRunHasItsPercentiles() throws Exception {
        ReportFolder.create(folder()).write(report());
        assertThat(folder().resolve("latency/get-1.hgrm"))
                .content()
                .startsWith("       Value     Percentile TotalCount 1/(1-Percentile)\n\n")
                .containsPattern("\n +4\\.0+ 0\\.9[0-9]+ +990 ")
                .endsWith("]\n");
        assertThat(folder().resolve("latency/get-static-1.hgrm")).exists();
    }

    @Test
    void flameGraphsAreLinked() throws Exception {
        ReportFolder written = ReportFolder.create(folder());
        Path graph = Files.writeString(written.flames().resolve("get-n1-cpu.html"), "<html>");
        Report plain = report();
        written.write(
                new Report(
                        plain.title(),
                        plain.begun(),
                        plain.circumstances(),
                        plain.scenarios(),
                        List.of(new ProfiledRun("get", "n1", ProfileKind.CPU, graph)),
                        List.of()));
        assertThat(folder().resolve("report.md"))
                .content()
                .contains("[n1 cpu](flames/get-n1-cpu.html)");
    }

    @Test
    void aFolderThatIsNotEmptyIsNotUsed() throws IOException {
        Files.createDirectories(folder().resolve("a"));
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportFolder.create(folder()))
                .withMessageContaining("is not empty");
    }

    @Test
    void aReportWithoutResultsLeavesNothing() throws Exception {
        ReportFolder.create(folder()).discard();
        assertThat(folder()).doesNotExist();
    }
}
