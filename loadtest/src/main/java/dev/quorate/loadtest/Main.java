package dev.quorate.loadtest;

import java.io.PrintStream;
import java.nio.file.Path;
import picocli.CommandLine;

/** {@code ./quorate bench} and {@code ./quorate report}. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) {
        Path home = Path.of(System.getProperty("quorate.home", "."));
        PrintStream out = System.out;
        PrintStream err = System.err;
        CommandLine bench = ClusterBench.commandLine(System.getenv(), home, out, err);
        CommandLine report = ReportCommand.commandLine(home, out, err);
        // By themselves they are called by both words.
        bench.setCommandName("bench");
        report.setCommandName("report");
        CommandLine root = new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        root.addSubcommand(bench).addSubcommand(report);
        System.exit(root.execute(arguments));
    }
}
