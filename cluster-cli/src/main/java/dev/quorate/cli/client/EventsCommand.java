package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.flag;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.PrintableWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/**
 * The command {@code events}: prints recent events of all nodes by time.
 *
 * @param pause waits before nodes are asked again; returns false to end
 */
record EventsCommand(BooleanSupplier pause) {

    private static final String EXITS =
            "Exit codes: 0 each node answered; 1 some nodes answered; 2 invalid arguments; 3 no node"
                    + " answered.";

    private static final String STRING = "\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"";
    private static final Pattern LINE =
            Pattern.compile(
                    "\\{\"node\":S,\"sequence\":([0-9]{1,18}),\"time\":S,\"severity\":S,\"text\":S\\}"
                            .replace("S", STRING));

    void addTo(CommandLine commandLine, ClientCommands commands) {
        Commands.add(
                commandLine,
                commands.command(
                        "events",
                        "Prints recent events of each node, such as peers that were down and repairs"
                                + " that found differences, the oldest first.",
                        EXITS,
                        this::events,
                        flag("--follow", "Continues to print new events until Ctrl-C.")));
    }

    private ExitCode events(Invocation run) throws IOException, CommandFailure {
        List<Node> nodes = run.members();
        Map<Node, Long> seen = new HashMap<>();
        Map<Node, String> problems = new HashMap<>();
        boolean follows = run.has("--follow");
        do {
            List<Event> events = new ArrayList<>();
            for (Node node : nodes) {
                try {
                    List<Event> ofNode =
                            after(node, seen.getOrDefault(node, 0L), run.timeoutMillis());
                    if (!ofNode.isEmpty()) {
                        // Not the highest: sequences are lower after a clock was set back.
                        seen.put(node, ofNode.getLast().sequence());
                    }
                    events.addAll(ofNode);
                    problems.remove(node);
                } catch (IOException e) {
                    String problem = node.url() + " cannot be asked: " + Node.reason(e);
                    if (!problem.equals(problems.put(node, problem))) {
                        run.err().println(problem + ".");
                    }
                }
            }
            events.sort(Comparator.comparing(Event::time));
            for (Event event : events) {
                run.out().println(run.json() ? event.json() : event.text());
            }
            run.out().flush();
        } while (follows && pause.getAsBoolean());
        return Invocation.exit(problems.size(), nodes.size());
    }

    private static List<Event> after(Node node, long sequence, int timeoutMillis)
            throws IOException {
        String path = "/admin/events?since=" + sequence;
        Node.Answer answer = node.ask("GET", path, "application/x-ndjson", timeoutMillis);
        if (answer.status() != 200) {
            throw new IOException("it answers " + answer.problem());
        }
        List<Event> events = new ArrayList<>();
        for (String line : answer.text().lines().toList()) {
            events.add(Event.parse(line));
        }
        return events;
    }

    /**
     * A line of {@code /admin/events}.
     *
     * @param json the line without control characters, which could affect a terminal
     * @param time in ISO 8601, so that texts sort by time
     * @param text the text for users, also without control characters
     */
    private record Event(String json, long sequence, String time, String text) {

        static Event parse(String json) throws IOException {
            String printable = PrintableWriter.printable(json);
            Matcher line = LINE.matcher(printable);
            if (!line.matches()) {
                throw new IOException("a line of its answer is not an event");
            }
            String text = line.group(5).replace("\\\"", "\"").replace("\\\\", "\\");
            return new Event(
                    printable,
                    Long.parseLong(line.group(2)),
                    line.group(3),
                    "%s  %s  %-7s  %s"
                            .formatted(line.group(3), line.group(1), line.group(4), text));
        }
    }
}
