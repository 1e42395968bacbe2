package dev.quorate.cli.client;

import static dev.quorate.cli.client.ClientCommands.flag;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code events}: what has happened to each node lately, in one order. */
final class EventsCommand {

    private static final String EXITS =
            "Exit codes: 0 each node has answered; 1 some have; 2 the arguments make no sense; 3 no"
                    + " node has.";
    private static final List<String> HEADERS = List.of("Accept: application/x-ndjson");

    /** Longer than any event. */
    private static final int MAX_LINE_BYTES = 65_536;

    private final BooleanSupplier pause;

    /**
     * The command.
     *
     * @param pause waits until nodes are asked again; returns whether they are to be
     */
    EventsCommand(BooleanSupplier pause) {
        this.pause = pause;
    }

    void addTo(CommandLine commandLine, ClientCommands commands) {
        CommandSpec spec =
                commands.command(
                        "events",
                        "Prints what has happened to each node lately, such as peers that were down"
                                + " and repairs that found differences, the oldest first.",
                        EXITS,
                        this::events);
        spec.addOption(flag("--follow", "Goes on, and prints what happens, until Ctrl-C ends it."));
        spec.addOption(flag("--json", "Prints a line of JSON for each event."));
        commandLine.addSubcommand(spec.name(), new CommandLine(spec));
    }

    private ExitCode events(Invocation run) throws IOException, CommandFailure {
        List<Node> nodes = run.nodes();
        Map<Node, Long> seen = new HashMap<>();
        Map<Node, String> problems = new HashMap<>();
        boolean follows = run.has("--follow");
        do {
            List<EventLine> events = new ArrayList<>();
            for (Node node : nodes) {
                try {
                    List<EventLine> ofNode =
                            after(node, seen.getOrDefault(node, 0L), run.timeoutMillis());
                    if (!ofNode.isEmpty()) {
                        // Not the highest: a node whose clock was set back begins lower.
                        seen.put(node, ofNode.getLast().sequence());
                    }
                    events.addAll(ofNode);
                    problems.remove(node);
                } catch (IOException e) {
                    String problem = node.url() + " cannot be asked: " + EntityClient.reason(e);
                    if (!problem.equals(problems.put(node, problem))) {
                        run.err().println(problem + ".");
                    }
                }
            }
            events.sort(Comparator.comparing(EventLine::time));
            for (EventLine event : events) {
                run.out().println(run.json() ? event.json() : event.plain());
            }
            run.out().flush();
        } while (follows && pause.getAsBoolean());
        if (problems.isEmpty()) {
            return ExitCode.DONE;
        }
        return problems.size() < nodes.size() ? ExitCode.NOT_THERE : ExitCode.UNAVAILABLE;
    }

    private static List<EventLine> after(Node node, long sequence, int timeoutMillis)
            throws IOException {
        try (NodeConnection connection = NodeConnection.open(node, timeoutMillis)) {
            Answer answer =
                    connection.send("GET", "/admin/events?since=" + sequence, HEADERS, new byte[0]);
            if (answer.status() != 200) {
                throw new IOException("it answers " + answer.problem());
            }
            List<EventLine> events = new ArrayList<>();
            LineReader lines = new LineReader(answer.body(), MAX_LINE_BYTES);
            while (lines.next()) {
                int length = lines.to() - lines.from();
                events.add(EventLine.parse(new String(lines.bytes(), lines.from(), length, UTF_8)));
            }
            return events;
        }
    }
}
