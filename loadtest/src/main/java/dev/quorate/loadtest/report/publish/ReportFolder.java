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
 * The folder of one report.
 *
 * <pre>
 * report.md, report.html   the report; the plots are in the page
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
            Files.createDirectory(folder.resolve(FLAMES));
            return new ReportFolder(folder);
        } catch (IOException e) {
            throw new CommandException("the folder " + folder + " cannot be made: " + e + ".", e);
        }
    }

    /** The folder for flame graphs. */
    public Path flames() {
        return folder.resolve(FLAMES);
    }

    /** The page. */
    public Path page() {
        return folder.resolve("report.html");
    }

    /**
     * Writes the report.
     *
     * @throws CommandException if the disk does not take it
     */
    public void write(Report report) throws CommandException {
        try {
            String markdown = ReportMarkdown.write(report);
            Files.writeString(
                    folder.resolve("report.md"), PLOT.matcher(markdown).replaceAll(""), UTF_8);
            Files.writeString(
                    page(), ReportHtml.write(report.title(), markdown, Plots.of(report)), UTF_8);
        } catch (IOException e) {
            throw new CommandException(
                    "the report cannot be written to " + folder + ": " + e + ".", e);
        }
    }

    /**
     * Deletes it.
     *
     * @throws CommandException if something stays
     */
    public void discard() throws CommandException {
        try {
            new DiskFiles().deleteTree(folder);
        } catch (IOException e) {
            throw new CommandException(
                    "the folder " + folder + " without a report cannot be deleted: " + e + ".", e);
        }
    }
}
