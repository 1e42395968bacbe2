package dev.quorate.loadtest.report.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.report.Report;
import dev.quorate.storage.io.DiskFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder of a report.
 *
 * <pre>
 * report.md, report.html   the report; only the page contains plots
 * flames/                  flame graphs, as async-profiler writes them
 * </pre>
 */
public final class ReportFolder {

    static final String FLAMES = "flames";

    private static final Pattern PLOT = Pattern.compile("\\[plot [a-z0-9-]+]\n\n");

    private final Path folder;

    ReportFolder(Path folder) {
        this.folder = folder;
    }

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

    /** The folder for flame graphs. */
    public Path flames() {
        return folder.resolve(FLAMES);
    }

    /** The report as a page. */
    public Path page() {
        return folder.resolve("report.html");
    }

    /**
     * Writes the report.
     *
     * @throws CommandException if the files cannot be written
     */
    public void write(Report report) throws CommandException {
        try {
            String markdown = ReportMarkdown.write(report);
            Files.writeString(
                    folder.resolve("report.md"), PLOT.matcher(markdown).replaceAll(""), UTF_8);
            Files.writeString(
                    page(), ReportHtml.write(report.title(), markdown, Plots.of(report)), UTF_8);
        } catch (IOException e) {
            throw new CommandException("cannot write the report to " + folder + ": " + e + ".", e);
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
