package dev.quorate.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine;

/** {@code ./quorate bench} and {@code ./quorate report}. */
public final class LoadTest {

    private LoadTest() {}

    public static void main(String[] arguments) {
        Path home = Path.of(System.getProperty("quorate.home", "."));
        System.exit(commandLine(home, System.out, System.err).execute(arguments));
    }

    /** All commands of this module. */
    static CommandLine commandLine(Path home, PrintStream out, PrintStream err) {
        CommandLine bench =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("bench"))
                        .addSubcommand(new EngineBench(home, out, err))
                        .addSubcommand(new PairsBench(home, out, err));
        bench.getCommandSpec().usageMessage().description("Measures Quorate.");
        bench.getCommandSpec()
                .addOption(
                        CommandLine.Model.OptionSpec.builder("-h", "--help")
                                .usageHelp(true)
                                .description("Prints this.")
                                .build());
        return new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"))
                .addSubcommand(bench)
                .addSubcommand(new ReportCommand(home, out, err))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out, true, UTF_8))
                .setErr(new PrintWriter(err, true, UTF_8));
    }
}
