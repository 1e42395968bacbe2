package dev.quorate.loadtest.report.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder of a report.
 *
 * <pre>
 * report.md    the report
 * latency/     percentiles of each run, as HdrHistogram prints them: its plotter draws them
 * flames/      flame graphs, as async-profiler writes them
 * </pre>
 */
public record ReportFolder(Path folder) {

    static final String FLAMES = "flames";

    /**
     * Creates the folder, which may exist if it is empty.
     *
     * @throws CommandException if it is not empty or cannot be created
     */
    public static ReportFolder create(Path folder) throws CommandException {
        try {
            Files.createDirectories(folder);
            try (Stream<Path> files = Files.list(folder)) {
                if (files.findAny().isPresent()) {
                    throw new CommandException(
                            "the folder " + folder + " is not empty: a report needs an empty one.");
                }
            }
            Files.createDirectory(folder.resolve(FLAMES));
            return new ReportFolder(folder);
        } catch (IOException e) {
            throw new CommandException("cannot create the folder " + folder + ": " + e + ".", e);
        }
    }

    public Path flames() {
        return folder.resolve(FLAMES);
    }

    public Path text() {
        return folder.resolve("report.md");
    }

    /**
     * Writes the report.
     *
     * @throws CommandException if the files cannot be written
     */
    public void write(Report report) throws CommandException {
        try {
            Files.writeString(text(), ReportMarkdown.write(report), UTF_8);
            Path latency = Files.createDirectory(folder.resolve("latency"));
            for (ScenarioResult scenario : report.scenarios()) {
                write(latency, scenario.name(), scenario.runs());
                write(latency, scenario.name() + "-static", scenario.staticRuns());
            }
        } catch (IOException e) {
            throw new CommandException("cannot write the report to " + folder + ": " + e + ".", e);
        }
    }

    private static void write(Path to, String name, List<LoadResult> runs) throws IOException {
        for (int i = 0; i < runs.size(); i++) {
            Files.writeString(
                    to.resolve(name + "-" + (i + 1) + ".hgrm"), runs.get(i).latency().table());
        }
    }

    /**
     * Deletes the folder.
     *
     * @throws CommandException if it cannot be deleted
     */
    public void discard() throws CommandException {
        try {
            new DiskFiles().deleteTree(folder);
        } catch (IOException e) {
            throw new CommandException("cannot delete the folder " + folder + ": " + e + ".", e);
        }
    }
}
