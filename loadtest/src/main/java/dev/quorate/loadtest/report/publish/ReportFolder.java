package dev.quorate.loadtest.report.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.report.ProfiledRun;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Run;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.flame.FlameGraph;
import dev.quorate.loadtest.report.flame.FlameParts;
import dev.quorate.loadtest.report.flame.Stacks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.HdrHistogram.Histogram;

/**
 * The folder of one report. {@code report.json} is its last file: a folder without it is no report.
 *
 * <pre>
 * raw/SCENARIO-RUN.hgrm, .hlog   latencies by percentile, and second by second
 * plots/, flames/                drawings; beside flame graphs the profiler's own, and the stacks
 * report.md, report.html         for readers
 * report.json                    all figures
 * </pre>
 */
public final class ReportFolder {

    /** No report is as large; what is, is not read. */
    private static final long MAX_BYTES = 256L << 20;

    private final Path folder;

    private ReportFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Makes a folder.
     *
     * @param folder may be there already, if it is empty
     * @throws CommandException if it is not empty, is something else, or cannot be made
     */
    public static ReportFolder create(Path folder) throws CommandException {
        try {
            Files.createDirectories(folder);
            try (Stream<Path> files = Files.list(folder)) {
                if (files.findAny().isPresent()) {
                    throw new CommandException(
                            "the folder "
                                    + folder
                                    + " is not empty: a report needs one of its own.");
                }
            }
            // Of two who come here at the same time, one fails.
            Files.createDirectory(folder.resolve(ReportFiles.RAW));
            Files.createDirectory(folder.resolve(ReportFiles.PLOTS));
            Files.createDirectory(folder.resolve(ReportFiles.FLAMES));
            return new ReportFolder(folder);
        } catch (IOException e) {
            throw new CommandException(
                    "the folder " + folder + " cannot be made: " + reason(e) + ".", e);
        }
    }

    /**
     * Reads the report of a folder.
     *
     * @throws CommandException if there is none, or it cannot be read
     */
    public static Report read(Path folder) throws CommandException {
        Path file = folder.resolve(ReportFiles.JSON);
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new CommandException(file + " is no report: it is too large.");
            }
            return ReportJson.read(file.toString(), Files.readString(file, UTF_8));
        } catch (NoSuchFileException e) {
            throw new CommandException(
                    folder
                            + " has no "
                            + ReportFiles.JSON
                            + ": it is no report, or an unfinished one.",
                    e);
        } catch (IOException e) {
            throw new CommandException(file + " cannot be read: " + reason(e) + ".", e);
        }
    }

    /**
     * Writes how one run was over time, as soon as it is over: its histograms are too many to be
     * kept until the report is written.
     *
     * @param run counted from 1
     * @param seconds of microseconds, each with the times at which it begins and ends; if there are
     *     none, nothing is written
     * @throws CommandException if the disk does not take it
     */
    public void writeLog(String scenarioName, int run, List<Histogram> seconds)
            throws CommandException {
        if (!seconds.isEmpty()) {
            try {
                write(ReportFiles.run(scenarioName, run) + ".hlog", HistogramLog.write(seconds));
            } catch (IOException e) {
                throw failure(e);
            }
        }
    }

    /**
     * Writes the report. A profile whose files are not there, or not what they should be, is
     * missing from it, which it says.
     *
     * @return the report as it was written
     * @throws CommandException if the disk does not take it; then there is no {@code report.json}
     */
    public Report write(Report report) throws CommandException {
        try {
            for (ScenarioResult scenario : report.scenarios()) {
                write(scenario);
            }
            Map<String, String> drawings = new LinkedHashMap<>(Drawings.of(report));
            Report whole = writeProfiles(report, drawings);
            for (Map.Entry<String, String> drawing : drawings.entrySet()) {
                write(drawing.getKey(), drawing.getValue());
            }
            String markdown = ReportMarkdown.write(whole);
            write(ReportFiles.MARKDOWN, markdown);
            write(ReportFiles.HTML, ReportHtml.write(markdown, drawings));
            writeLast(ReportJson.write(whole));
            return whole;
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /**
     * Deletes it, with what was written for runs that are in no report.
     *
     * @throws CommandException if something stays
     */
    public void discard() throws CommandException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException | UncheckedIOException e) {
            throw new CommandException(
                    "the folder " + folder + " without a report cannot be deleted: " + e + ".", e);
        }
    }

    private void write(ScenarioResult scenario) throws IOException {
        for (int i = 0; i < scenario.runs().size(); i++) {
            Run run = scenario.runs().get(i);
            write(ReportFiles.run(scenario.name(), i + 1) + ".hgrm", run.latency().hgrm());
        }
        for (int i = 0; i < scenario.staticRuns().size(); i++) {
            Run run = scenario.staticRuns().get(i);
            write(ReportFiles.staticRun(scenario.name(), i + 1) + ".hgrm", run.latency().hgrm());
        }
    }

    private Report writeProfiles(Report report, Map<String, String> drawings) throws IOException {
        List<ProfiledRun> profiles = new ArrayList<>();
        List<String> missing = new ArrayList<>(report.missing());
        for (ProfiledRun profile : report.profiles()) {
            try {
                profiles.add(write(profile, drawings));
            } catch (CommandException e) {
                missing.add("The profile of " + name(profile) + " is missing: " + e.getMessage());
            }
        }
        return report.with(profiles, missing);
    }

    private ProfiledRun write(ProfiledRun profile, Map<String, String> drawings)
            throws CommandException, IOException {
        String collapsed = text(profile.collapsed());
        String html = text(profile.html());
        Stacks stacks =
                Stacks.parse(
                        profile.collapsed().getFileName().toString(), collapsed.lines().toList());
        String file = ReportFiles.flame(profile);
        write(file + ReportFiles.STACKS, compressed(collapsed));
        write(file + ".html", html);
        String svg = file + ".svg";
        drawings.put(
                svg,
                FlameGraph.draw(
                        ReportFiles.id(svg),
                        "Profile of " + name(profile),
                        stacks,
                        ProfileSection.unit(profile.kind())));
        return new ProfiledRun(
                profile.scenarioName(),
                profile.node(),
                profile.kind(),
                Path.of(file + ReportFiles.STACKS),
                Path.of(file + ".html"),
                FlameParts.of(stacks, profile.kind() != ProfileKind.CPU));
    }

    private static String name(ProfiledRun profile) {
        return profile.scenarioName()
                + " on "
                + profile.node()
                + " ("
                + profile.kind().name().toLowerCase(Locale.ROOT)
                + ")";
    }

    /** Stacks have nearly everything in common: compressed, they are a fifteenth. */
    private static byte[] compressed(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }

    /** The name alone is in the message, which others will read. */
    private static String text(Path file) throws CommandException {
        try {
            return Files.readString(file, UTF_8);
        } catch (NoSuchFileException e) {
            throw new CommandException(file.getFileName() + " is not there.", e);
        } catch (CharacterCodingException e) {
            throw new CommandException(file.getFileName() + " is no text.", e);
        } catch (IOException e) {
            throw new CommandException(file.getFileName() + " cannot be read.", e);
        }
    }

    private void write(String file, String text) throws IOException {
        write(file, text.getBytes(UTF_8));
    }

    private void write(String file, byte[] bytes) throws IOException {
        Files.write(folder.resolve(file), bytes);
    }

    /** All of it or nothing, also where the power fails. */
    private void writeLast(String json) throws IOException {
        Path unfinished = folder.resolve(ReportFiles.JSON + ".unfinished");
        try (FileChannel file =
                FileChannel.open(unfinished, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(json.getBytes(UTF_8));
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            file.force(true);
        }
        Files.move(unfinished, folder.resolve(ReportFiles.JSON), StandardCopyOption.ATOMIC_MOVE);
    }

    private CommandException failure(IOException e) {
        return new CommandException(
                "the report cannot be written to " + folder + ": " + reason(e) + ".", e);
    }

    private static String reason(IOException e) {
        if (e instanceof NoSuchFileException missing) {
            return missing.getFile() + " is not there";
        }
        if (e instanceof CharacterCodingException) {
            return "it is no text";
        }
        return Optional.ofNullable(e.getMessage()).orElse(e.getClass().getSimpleName());
    }
}
