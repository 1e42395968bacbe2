package dev.quorate.loadtest.report.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.report.Report;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The part of a report that is small enough for a repository: its text and its drawings, and of its
 * flame graphs those of the first node, which clients asked.
 */
public final class ReportExtract {

    private static final String EXTENSION = ".md";
    private static final Pattern PICTURE =
            Pattern.compile("^!\\[.*]\\((.*)\\)$", Pattern.MULTILINE);

    private ReportExtract() {}

    /**
     * Writes an extract.
     *
     * @param report the folder of the report
     * @param file the Markdown to be written; the drawings go into a folder beside it, of the same
     *     name without {@code .md}
     * @throws CommandException if there is no report, or the file is there already or cannot be
     *     written
     */
    public static void write(Path report, Path file) throws CommandException {
        String name = String.valueOf(file.getFileName());
        if (!name.endsWith(EXTENSION) || name.equals(EXTENSION)) {
            throw new CommandException(file + " is not the name of a Markdown file: NAME.md.");
        }
        String folder = name.substring(0, name.length() - EXTENSION.length());
        Report read = ReportFolder.read(report);
        String markdown = ReportMarkdown.extract(read, folder);
        Set<String> pictures = new LinkedHashSet<>();
        PICTURE.matcher(markdown)
                .results()
                .map((MatchResult it) -> it.group(1))
                .forEach(pictures::add);
        try {
            if (Files.exists(file)) {
                throw new FileAlreadyExistsException(file.toString());
            }
            Path target = Objects.requireNonNull(file.toAbsolutePath().getParent());
            for (String picture : pictures) {
                Path drawing = target.resolve(picture);
                Files.createDirectories(Objects.requireNonNull(drawing.getParent()));
                String original = picture.substring(folder.length() + 1);
                Files.copy(report.resolve(original), drawing, StandardCopyOption.REPLACE_EXISTING);
            }
            // Last, so that no text without its drawings stays where one is missing.
            Files.writeString(file, markdown, UTF_8, StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            throw new CommandException(file + " is there already.", e);
        } catch (IOException e) {
            throw new CommandException("the extract cannot be written: " + e + ".", e);
        }
    }
}
