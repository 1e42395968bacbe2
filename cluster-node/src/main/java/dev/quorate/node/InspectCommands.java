package dev.quorate.node;

import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.format.FileNames;
import dev.quorate.storage.inspect.Dump;
import dev.quorate.storage.inspect.Verification;
import dev.quorate.storage.io.StorageFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The commands {@code verify} and {@code dump}, which read the files of a node that is stopped.
 * Exit codes: 0; or 1 if anything is damaged, or cannot be read.
 */
final class InspectCommands {

    private InspectCommands() {}

    /** Adds the commands to the command line. */
    static void addTo(CommandLine commandLine, StorageFiles files) {
        add(
                commandLine,
                "verify",
                "DIR",
                "Checks every file of a stopped node, or of a checkpoint, and names each damage.",
                (directory, out) -> verify(files, directory, out));
        add(
                commandLine,
                "dump",
                "FILE",
                "Prints a table (.sst), a log segment (.log) or a manifest.",
                (file, out) -> dump(files, file, out));
    }

    private interface Verb {
        boolean isFine(Path path, PrintWriter out) throws IOException;
    }

    private static void add(
            CommandLine commandLine, String name, String label, String description, Verb verb) {
        Action action = new Action(verb);
        CommandSpec spec = CommandSpec.wrapWithoutInspection(action).name(name);
        action.spec = spec;
        spec.usageMessage().description(description);
        spec.addOption(
                OptionSpec.builder("--help").usageHelp(true).description("Prints this.").build());
        spec.addPositional(
                PositionalParamSpec.builder()
                        .index("0")
                        .required(true)
                        .type(Path.class)
                        .paramLabel(label)
                        .description("What to read. Nothing is changed.")
                        .build());
        commandLine.addSubcommand(name, new CommandLine(spec));
    }

    private static boolean verify(StorageFiles files, Path directory, PrintWriter out)
            throws IOException {
        Path inNode = directory.resolve(DataDirectory.STORE);
        boolean isNode = files.exists(inNode.resolve(FileNames.CURRENT));
        Verification.Report report = Verification.of(files, isNode ? inNode : directory);
        for (CorruptionException damage : report.damages()) {
            out.println(damage.getMessage());
        }
        out.printf(
                "%d tables and %d log segments with %d entries were read; %d bytes of torn writes,"
                        + " which a crash leaves; %s.%n",
                report.tables(),
                report.segments(),
                report.logEntries(),
                report.tornBytes(),
                switch (report.damages().size()) {
                    case 0 -> "no damage";
                    case 1 -> "1 damage";
                    default -> report.damages().size() + " damages";
                });
        return report.damages().isEmpty();
    }

    private static boolean dump(StorageFiles files, Path file, PrintWriter out) throws IOException {
        Dump.of(files, file, out::println);
        return true;
    }

    /** One command's doing. */
    private static final class Action implements Callable<Integer> {

        private final Verb verb;
        private CommandSpec spec = CommandSpec.create();

        Action(Verb verb) {
            this.verb = verb;
        }

        @Override
        public Integer call() {
            CommandLine command = spec.commandLine();
            PrintWriter out = command.getOut();
            Path path = command.getParseResult().matchedPositionalValue(0, Path.of(""));
            int exit;
            try {
                exit = verb.isFine(path, out) ? 0 : 1;
            } catch (IOException | StorageException e) {
                out.flush();
                command.getErr().println(sentence(e));
                exit = 1;
            }
            out.flush();
            return exit;
        }

        private static String sentence(Exception e) {
            String message = String.valueOf(e.getMessage());
            return e instanceof NoSuchFileException || e instanceof NotDirectoryException
                    ? message + " is not there."
                    : message;
        }
    }
}
