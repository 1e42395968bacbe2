package dev.quorate.cli.client;

import static dev.quorate.cli.client.ClientCommands.flag;
import static dev.quorate.cli.client.ClientCommands.option;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.node.http.Percent;
import dev.quorate.node.runtime.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands {@code export} and {@code import}. */
final class TransferCommands {

    private static final String EXPORT_EXITS =
            "Exit codes: 0 all of it; 2 the arguments make no sense, or a file cannot be used; 3 no"
                    + " node was able to go on; 4 refused.";
    private static final String IMPORT_EXITS =
            "Exit codes: 0 all of it; 1 the file has no last line: it may be a part of an export; 2"
                    + " the arguments make no sense, or a line is no entry; 3 no node was able to go"
                    + " on; 4 an entry is refused, or another write has its version.";

    private final Ticker ticker;
    private final InputStream in;
    private final OutputStream bytes;
    private final BooleanSupplier pause;

    /**
     * The commands.
     *
     * @param in an import without a file
     * @param bytes receives an export without a file
     * @param pause waits before nodes are asked again; returns whether they are to be
     */
    TransferCommands(Ticker ticker, InputStream in, OutputStream bytes, BooleanSupplier pause) {
        this.ticker = ticker;
        this.in = in;
        this.bytes = bytes;
        this.pause = pause;
    }

    /** Adds the commands to the command line. */
    void addTo(CommandLine commandLine, ClientCommands commands) {
        CommandSpec out =
                commands.command(
                        "export",
                        "Prints all entries, or writes them to a file: a line of JSON for each, with"
                                + " its version, expiry and content type, and a last line.",
                        EXPORT_EXITS,
                        this::export);
        ClientCommands.replicas(out);
        out.addOption(option("--prefix", "KEY", "Only the keys that begin with this."));
        out.addOption(flag("--encoded", "KEY is percent-encoded, as in a URL."));
        out.addOption(option("--file", "FILE", "The file, which must not be there."));
        out.addOption(flag("--resume", "Goes on with a file that an export has left."));
        CommandSpec back =
                commands.command(
                        "import",
                        "Stores what export has printed, each entry with its version: it supersedes"
                                + " nothing newer, and can be repeated. An entry that is too old for"
                                + " that is stored if its key has no value.",
                        IMPORT_EXITS,
                        this::take);
        ClientCommands.replicas(back);
        back.addOption(option("--file", "FILE", "The file. Default: standard input."));
        back.addOption(option("--skip", "LINES", "Leaves out so many lines."));
        for (CommandSpec spec : List.of(out, back)) {
            commandLine.addSubcommand(spec.name(), new CommandLine(spec));
        }
    }

    private ExitCode export(Invocation run) throws IOException, CommandFailure {
        ExportRun.Range range = new ExportRun.Range(prefix(run), run.query());
        Progress progress = new Progress(ticker, run.err());
        String name = run.option("--file");
        boolean resumes = run.has("--resume");
        if (name == null && resumes) {
            throw new CommandFailure(ExitCode.USAGE, "--resume needs --file.");
        }
        if (name == null) {
            long entries =
                    new ExportRun(range, null, bytes, progress)
                            .run(run.nodes(), run.timeoutMillis());
            bytes.write(EntryLine.last(entries).getBytes(US_ASCII));
            bytes.flush();
            return done(run, entries);
        }
        ExportFile file = new ExportFile(Path.of(name));
        return switch (file.begin(resumes)) {
            case ExportFile.Beginning.Empty _ -> toFile(run, range, file, null, 0, progress);
            case ExportFile.Beginning.After(EntryLine last, long entries) -> {
                byte[] lastKey = ExportRun.decodedKey(last);
                if (!range.contains(lastKey)) {
                    throw new CommandFailure(
                            ExitCode.USAGE, name + " is an export of another --prefix.");
                }
                yield toFile(run, range, file, lastKey, entries, progress);
            }
            case ExportFile.Beginning.Complete(long entries) -> done(run, entries);
        };
    }

    private static ExitCode toFile(
            Invocation run,
            ExportRun.Range range,
            ExportFile file,
            byte @Nullable [] lastKey,
            long before,
            Progress progress)
            throws IOException, CommandFailure {
        List<Node> nodes = run.nodes();
        int timeoutMillis = run.timeoutMillis();
        try (OutputStream out = file.append()) {
            long entries =
                    before + new ExportRun(range, lastKey, out, progress).run(nodes, timeoutMillis);
            out.write(EntryLine.last(entries).getBytes(US_ASCII));
            return done(run, entries);
        } catch (CommandFailure e) {
            throw new CommandFailure(
                    e.exit(),
                    e.getMessage() + System.lineSeparator() + "--resume goes on with the file.");
        }
    }

    private static ExitCode done(Invocation run, long entries) {
        run.err().println(entries + " entries exported.");
        return ExitCode.DONE;
    }

    private static byte[] prefix(Invocation run) throws CommandFailure {
        String prefix = run.option("--prefix");
        if (prefix == null) {
            return new byte[0];
        }
        try {
            return run.has("--encoded") ? Percent.decode(prefix) : prefix.getBytes(UTF_8);
        } catch (Percent.MalformedEscapeException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }

    private ExitCode take(Invocation run) throws IOException, CommandFailure {
        String skip = run.option("--skip");
        if (skip != null && !skip.matches("[0-9]{1,18}")) {
            throw new CommandFailure(ExitCode.USAGE, "--skip is a number of lines.");
        }
        long skipped = skip == null ? 0 : Long.parseLong(skip);
        String file = run.option("--file");
        ImportRun importing =
                new ImportRun(
                        new ImportRun.Target(run.nodes(), ticker, run.timeoutMillis(), run.query()),
                        ImportRun.Versions.OWN,
                        new Progress(ticker, run.err()),
                        pause);
        ImportRun.Result result;
        if (file == null) {
            result = importing.run(in, skipped);
        } else {
            try (InputStream open = Files.newInputStream(Path.of(file))) {
                result = importing.run(open, skipped);
            }
        }
        return report(run, result);
    }

    private static ExitCode report(Invocation run, ImportRun.Result result) {
        run.err()
                .println(
                        result.stored()
                                + " entries stored, "
                                + result.kept()
                                + " left out since their key has a value, "
                                + result.expired()
                                + " since they have expired.");
        if (!result.isComplete()) {
            run.err().println("There is no last line: the file may be a part of an export.");
        }
        if (result.others() > 0) {
            run.err()
                    .println(
                            result.others()
                                    + " left out since another write has their version, with"
                                    + " another value.");
            return ExitCode.REFUSED;
        }
        return result.isComplete() ? ExitCode.DONE : ExitCode.NOT_THERE;
    }
}
