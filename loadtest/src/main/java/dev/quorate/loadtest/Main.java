package dev.quorate.loadtest;

import java.nio.file.Path;
import picocli.CommandLine;

/** {@code ./quorate bench} and {@code ./quorate report}. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) {
        Path home = Path.of(System.getProperty("quorate.home", "."));
        CommandLine root = new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        root.addSubcommand(
                "bench", ClusterBench.commandLine(System.getenv(), home, System.out, System.err));
        root.addSubcommand(
                "report", ReportCommand.commandLine(System.getenv(), home, System.out, System.err));
        System.exit(root.execute(arguments));
    }
}
