package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.flag;

import dev.quorate.cli.local.Commands;
import dev.quorate.client.Awaited;
import dev.quorate.client.Entry;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.Version;
import dev.quorate.node.http.parse.Percent;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine;

/** The command {@code watch}: prints the value of a key, and each value that it gets. */
record WatchCommand() {

    private static final Duration LONG = Duration.ofDays(1);
    private static final String EXITS =
            "Exit codes: 2 invalid arguments; 3 no node could wait; 4 refused.";

    void addTo(CommandLine commandLine, ClientCommands commands) {
        Commands.add(
                commandLine,
                commands.command(
                        "watch",
                        "Prints the value of a key, and again after each change until Ctrl-C, a line"
                                + " each: the version, and the value percent-encoded after a tab; -"
                                + " if there is no value. Changes that follow each other quickly"
                                + " may be one line.",
                        EXITS,
                        WatchCommand::watch,
                        ClientCommands.replicas(),
                        flag("--encoded", "KEY is percent-encoded, as in a URL."),
                        Commands.parameter("KEY", "The key.")));
    }

    private static ExitCode watch(Invocation run) throws IOException, CommandFailure {
        try (QuorateClient client = run.client()) {
            Optional<Entry> value = client.get(run.key(), run.readOptions());
            while (true) {
                run.out().println(value.map(each -> text(run, each)).orElse("-"));
                run.out().flush();
                Version version = value.map(Entry::version).orElse(null);
                Awaited found;
                do {
                    found = client.await(run.key(), version, LONG, run.readOptions());
                } while (!found.isChanged());
                value = found.entry();
            }
        }
    }

    private static String text(Invocation run, Entry entry) {
        return run.json() ? entry.toJson() : entry.version() + "\t" + Percent.encode(entry.value());
    }
}
