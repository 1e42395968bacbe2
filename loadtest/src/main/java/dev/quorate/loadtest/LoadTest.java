package dev.quorate.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.cli.local.Commands;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** {@code ./quorate bench} and {@code ./quorate report}. */
public final class LoadTest {

    private LoadTest() {}

    public static void main(String[] arguments) {
        Path home = Path.of(System.getProperty("quorate.home", "."));
        System.exit(commandLine(home, System.out, System.err).execute(arguments));
    }

    static CommandLine commandLine(Path home, PrintStream out, PrintStream err) {
        CommandLine bench =
                new CommandLine(CommandSpec.create().name("bench"))
                        .addSubcommand(new EngineBench(home, out, err))
                        .addSubcommand(new PairsBench(home, out, err))
                        .addSubcommand(new ElasticBench(home, out, err));
        bench.getCommandSpec().usageMessage().description("Measures Quorate.");
        CommandLine report = new CommandLine(new ReportCommand(home, out, err));
        Stream.concat(Stream.of(bench, report), bench.getSubcommands().values().stream())
                .forEach(each -> each.getCommandSpec().addOption(Commands.help()));
        CommandLine all =
                new CommandLine(CommandSpec.create().name("quorate"))
                        .addSubcommand(bench)
                        .addSubcommand(report)
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setOut(new PrintWriter(out, true, UTF_8))
                        .setErr(new PrintWriter(err, true, UTF_8));
        return Commands.explained(all);
    }
}
