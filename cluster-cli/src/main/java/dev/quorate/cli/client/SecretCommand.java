package dev.quorate.cli.client;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.Node;
import dev.quorate.node.config.Secret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** {@code secret}: whether nodes accept each other's secrets, now and with the next file. */
final class SecretCommand {

    private SecretCommand() {}

    static CommandSpec spec(ClientCommands commands) {
        return commands.command(
                "secret",
                "Prints fingerprints of the secrets that each node uses, and whether the nodes accept"
                        + " each other. With FILE, also whether they would while FILE becomes the"
                        + " secret-file of one after the other. With tokens, it needs an admin"
                        + " token.",
                "Exit codes: 0 safe; 1 a node refuses another one, or would, or does not answer; 2"
                        + " invalid arguments; 3 no node answers.",
                SecretCommand::run,
                Commands.optionalParameter(0, "FILE", "The next contents of secret-file."));
    }

    /**
     * A node, or the next file, and the fingerprints of its secrets.
     *
     * @param secrets the first seals; all are accepted
     */
    private record Holder(String name, List<String> secrets) {}

    private static ExitCode run(Invocation run) throws IOException, CommandFailure {
        List<Holder> holders = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Node node : run.members()) {
            try {
                Node.Answer answer = node.ask("GET", "/admin/secret", run.timeoutMillis());
                if (answer.status() != 200) {
                    throw new IOException("it answers " + answer.problem());
                }
                List<String> words = List.of(answer.text().strip().split(" ", -1));
                if (words.size() == 1) {
                    throw new IOException("it has no secret");
                }
                holders.add(new Holder(words.getFirst(), words.subList(1, words.size())));
            } catch (IOException e) {
                problems.add("%s is unknown: %s".formatted(node.url(), Node.reason(e)));
            }
        }
        ExitCode unsafe = holders.isEmpty() ? ExitCode.UNAVAILABLE : ExitCode.NOT_THERE;
        String file = run.positional(0);
        if (file != null) {
            holders.add(new Holder(file, Secret.read(Path.of(file)).fingerprints()));
        }
        problems.addAll(refusals(holders));
        List<String> lines = new ArrayList<>();
        for (Holder each : holders) {
            lines.add(
                    "%s  seals with %s"
                            .formatted(each.name(), String.join(" and accepts ", each.secrets())));
        }
        lines.add(problems.isEmpty() ? "safe" : "not safe: " + String.join("; ", problems));
        if (run.json()) {
            lines = List.of(Invocation.lines(lines, ""));
        }
        lines.forEach(run.out()::println);
        return problems.isEmpty() ? ExitCode.DONE : unsafe;
    }

    /** The pairs of which one does not accept the frames of the other. */
    private static List<String> refusals(List<Holder> holders) {
        List<String> refusals = new ArrayList<>();
        for (Holder asking : holders) {
            String first = asking.secrets().getFirst();
            for (Holder asked : holders) {
                if (!asked.secrets().contains(first)) {
                    refusals.add(
                            "%s does not accept %s, with which %s seals"
                                    .formatted(asked.name(), first, asking.name()));
                }
            }
        }
        return refusals;
    }
}
