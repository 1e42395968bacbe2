package dev.quorate.loadtest.report.publish;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.report.ProfiledRun;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Samples;
import dev.quorate.loadtest.report.flame.Part;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFolderTest {

    private static final long BEGIN = 1_795_000_000_000L;

    @TempDir private Path parent;
    private Path path;
    private Path collapsed;
    private Path html;

    @BeforeEach
    void profile() throws IOException {
        path = parent.resolve("a").resolve("report");
        collapsed = parent.resolve("cpu.collapsed");
        html = parent.resolve("cpu.html");
        Files.writeString(collapsed, "a;__send 3\na;dev/quorate/storage/wal/GroupCommit.run 1\n");
        Files.writeString(html, "<html>");
    }

    private Report report() {
        Report report = Samples.report(List.of(Samples.get(), Samples.refused()));
        return report.with(
                List.of(new ProfiledRun("get", "n1", ProfileKind.CPU, collapsed, html)),
                report.missing());
    }

    private static List<Histogram> seconds() {
        Histogram first = new Histogram(3);
        first.setStartTimeStamp(BEGIN);
        first.setEndTimeStamp(BEGIN + 1_000);
        first.recordValue(1_500);
        first.recordValue(2_000);
        Histogram second = new Histogram(3);
        second.setStartTimeStamp(BEGIN + 1_000);
        second.setEndTimeStamp(BEGIN + 1_500);
        second.recordValue(7);
        return List.of(first, second);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> path.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void hasAllFiles() throws Exception {
        ReportFolder folder = ReportFolder.create(path);
        folder.writeLog("get", 1, seconds());
        folder.writeLog("get", 2, List.of());
        folder.write(report());
        assertThat(files())
                .containsExactly(
                        "flames/get.n1.cpu.collapsed.gz",
                        "flames/get.n1.cpu.html",
                        "flames/get.n1.cpu.svg",
                        "plots/get-breaking-point.svg",
                        "plots/get-latency.svg",
                        "plots/get-time.svg",
                        "raw/get-1.hgrm",
                        "raw/get-1.hlog",
                        "raw/get-2.hgrm",
                        "raw/get-3.hgrm",
                        "raw/get.static-1.hgrm",
                        "raw/get.static-2.hgrm",
                        "raw/get.static-3.hgrm",
                        "report.html",
                        "report.json",
                        "report.md");
        assertThat(path.resolve("report.html"))
                .content()
                .contains(Files.readString(path.resolve("flames/get.n1.cpu.svg")))
                .contains(Files.readString(path.resolve("plots/get-latency.svg")));
        try (InputStream stacks =
                new GZIPInputStream(
                        Files.newInputStream(path.resolve("flames/get.n1.cpu.collapsed.gz")))) {
            assertThat(collapsed).hasBinaryContent(stacks.readAllBytes());
        }
        assertThat(path.resolve("flames/get.n1.cpu.html")).hasSameTextualContentAs(html);
    }

    @Test
    void anExtractIsTextAndDrawings() throws Exception {
        ReportFolder.create(path).write(report());
        Path target = path.resolveSibling("docs");
        ReportExtract.write(path, target.resolve("one.md"));
        try (Stream<Path> files = Files.walk(target)) {
            assertThat(files.filter(Files::isRegularFile).map(target::relativize))
                    .extracting(Path::toString)
                    .containsExactlyInAnyOrder(
                            "one.md",
                            "one/flames/get.n1.cpu.svg",
                            "one/plots/get-breaking-point.svg",
                            "one/plots/get-latency.svg",
                            "one/plots/get-time.svg");
        }
        assertThat(target.resolve("one.md"))
                .content()
                .contains("](one/plots/get-latency.svg)")
                .doesNotContain(".html", ".collapsed.gz", "raw/");
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportExtract.write(path, target.resolve("one.md")))
                .withMessageEndingWith("one.md is there already.");
    }

    @Test
    void anExtractThatLacksADrawingHasNoText() throws Exception {
        ReportFolder.create(path).write(report());
        Files.delete(path.resolve("plots/get-latency.svg"));
        Path text = path.resolveSibling("docs").resolve("one.md");
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportExtract.write(path, text))
                .withMessageStartingWith("the extract cannot be written: ");
        assertThat(text).doesNotExist();
    }

    @Test
    void readsWhatItWrote() throws CommandException {
        Report written = ReportFolder.create(path).write(report());
        assertThat(ReportFolder.read(path)).isEqualTo(written);
        assertThat(written.scenarios()).isEqualTo(report().scenarios());
        assertThat(written.missing()).isEmpty();
        assertThat(written.profiles())
                .containsExactly(
                        new ProfiledRun(
                                "get",
                                "n1",
                                ProfileKind.CPU,
                                Path.of("flames/get.n1.cpu.collapsed.gz"),
                                Path.of("flames/get.n1.cpu.html"),
                                Map.of(Part.SOCKETS, 3L, Part.LOG, 1L)));
    }

    @Test
    void theToolsOfHdrHistogramReadWhatIsRaw() throws Exception {
        ReportFolder folder = ReportFolder.create(path);
        folder.writeLog("get", 1, seconds());
        folder.write(report());
        HistogramLogReader log = new HistogramLogReader(path.resolve("raw/get-1.hlog").toFile());
        Histogram first = (Histogram) log.nextIntervalHistogram();
        assertThat(first).isEqualTo(seconds().getFirst());
        assertThat(first.getStartTimeStamp()).isEqualTo(BEGIN);
        Histogram second = (Histogram) log.nextIntervalHistogram();
        assertThat(second).isEqualTo(seconds().getLast());
        assertThat(second.getEndTimeStamp()).isEqualTo(BEGIN + 1_500);
        assertThat(log.nextIntervalHistogram()).isNull();
        assertThat(path.resolve("raw/get-1.hlog")).content().contains("\n0.000,1.000,2.000,");
        String hgrm = Files.readString(path.resolve("raw/get-1.hgrm"));
        assertThat(Spectrum.parse(hgrm).millis(0.99)).isEqualTo(4);
    }

    @Test
    void refusesAFolderWithSomethingInIt() throws IOException {
        Files.createDirectories(path);
        Files.writeString(path.resolve("mine"), "");
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportFolder.create(path))
                .withMessage(
                        "the folder " + path + " is not empty: a report needs one of its own.");
        assertThat(files()).containsExactly("mine");
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportFolder.create(path.resolve("mine")))
                .withMessageContaining(" cannot be made: ");
    }

    @Test
    void anEmptyFolderIsTakenOnce() throws Exception {
        Files.createDirectories(path);
        assertThat(ReportFolder.create(path)).isNotNull();
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportFolder.create(path))
                .withMessageContaining("is not empty");
    }

    @Test
    void aFullDiskLeavesNoReport() throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        for (String file :
                List.of(
                        "raw/get-1.hgrm",
                        "raw/get-1.hlog",
                        "plots/get-time.svg",
                        "flames/get.n1.cpu.svg",
                        "report.md",
                        "report.html",
                        "report.json.unfinished")) {
            path = parent.resolve("full-" + file.replace('/', '-'));
            ReportFolder folder = ReportFolder.create(path);
            Files.createSymbolicLink(path.resolve(file), full);
            assertThatExceptionOfType(CommandException.class)
                    .isThrownBy(
                            () -> {
                                folder.writeLog("get", 1, seconds());
                                folder.write(report());
                            })
                    .withMessageMatching(
                            "the report cannot be written to "
                                    + path
                                    + ": No space left on device\\.");
            assertThat(path.resolve("report.json")).doesNotExist();
        }
    }

    @Test
    void aFolderThatIsGoneIsOneSentence() throws Exception {
        ReportFolder folder = ReportFolder.create(path);
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> folder.write(report()))
                .withMessage(
                        "the report cannot be written to "
                                + path
                                + ": "
                                + path.resolve("raw/get-1.hgrm")
                                + " is not there.");
        assertThat(path).doesNotExist();
    }

    @Test
    void aProfileThatIsNotThereIsMissing() throws Exception {
        Files.delete(collapsed);
        Report written = ReportFolder.create(path).write(report());
        assertThat(written.profiles()).isEmpty();
        assertThat(written.missing())
                .containsExactly(
                        "The profile of get on n1 (cpu) is missing: cpu.collapsed is not there.");
        assertThat(path.resolve("report.md"))
                .content()
                .contains("**This report is not complete:**")
                .doesNotContain("flames/");
        assertThat(ReportFolder.read(path)).isEqualTo(written);
    }

    @Test
    void aProfileThatIsNoneIsMissing() throws Exception {
        Files.writeString(collapsed, "a;b 1\na;");
        assertThat(ReportFolder.create(path).write(report()).missing())
                .containsExactly(
                        "The profile of get on n1 (cpu) is missing: line 2 of cpu.collapsed is"
                                + " not a stack and a number.");
        Files.write(collapsed, new byte[] {(byte) 0xC3, 0x28});
        assertThat(ReportFolder.create(parent.resolve("b")).write(report()).missing())
                .containsExactly(
                        "The profile of get on n1 (cpu) is missing: cpu.collapsed is no text.");
    }

    @Test
    void aFolderWithoutItsLastFileIsNoReport() throws Exception {
        ReportFolder.create(path).write(report());
        Files.writeString(path.resolve("report.json"), "{");
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportFolder.read(path))
                .withMessageStartingWith(path.resolve("report.json") + " is no report: ");
        Files.write(path.resolve("report.json"), new byte[] {(byte) 0xFF});
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportFolder.read(path))
                .withMessage(path.resolve("report.json") + " cannot be read: it is no text.");
        Files.delete(path.resolve("report.json"));
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportFolder.read(path))
                .withMessage(path + " has no report.json: it is no report, or an unfinished one.");
        Files.createDirectory(path.resolve("report.json"));
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportFolder.read(path))
                .withMessageContaining(" cannot be read: ");
    }

    @Test
    void anotherReportInTheSamePlaceIsNotOverwritten() throws Exception {
        ReportFolder.create(path).write(report());
        String json = Files.readString(path.resolve("report.json"), UTF_8);
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportFolder.create(path).write(report()));
        assertThat(path.resolve("report.json")).hasContent(json);
    }
}
