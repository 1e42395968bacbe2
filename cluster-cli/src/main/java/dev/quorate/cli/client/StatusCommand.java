package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.flag;

import dev.quorate.cli.local.Amounts;
import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.MetricsText;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.PrintableWriter;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * The command {@code status}: the cluster on one screen.
 *
 * @param pause waits before nodes are asked again; returns false to end
 */
record StatusCommand(Ticker ticker, BooleanSupplier pause) {

    private static final String ONLY = "--only";
    private static final String WATCH = "--watch";

    private static final List<String> TITLES =
            List.of(
                    "node",
                    "state",
                    "name",
                    "version",
                    "up for",
                    "share",
                    "stored",
                    "free",
                    "repaired");

    private static final String EXITS =
            "Exit codes: 0 each node is ready; 1 a node is not; 2 invalid arguments; 3 no cluster.";

    void addTo(CommandLine commandLine, ClientCommands commands) {
        Commands.add(
                commandLine,
                commands.command(
                        "status",
                        "Prints each member's state, version, time since its start, share of the keys,"
                                + " stored and free bytes, and the time since the oldest of its last"
                                + " repairs with the others; and which replicas would fail now.",
                        EXITS,
                        this::status,
                        flag(ONLY, "Asks only the nodes of --url, and not the other members."),
                        flag(WATCH, "Continues to print changes until Ctrl-C.")));
    }

    private ExitCode status(Invocation run) throws IOException, CommandFailure {
        List<Node> nodes = run.has(ONLY) ? run.nodes() : run.members();
        int timeoutMillis = run.timeoutMillis();
        if (run.has(WATCH)) {
            return watch(run, nodes, timeoutMillis);
        }
        List<NodeState> states = new ArrayList<>();
        Overview overview = Overview.NONE;
        for (Node node : nodes) {
            NodeState state = NodeState.of(node, timeoutMillis);
            if (state.state() != State.NOT_REACHED) {
                overview = overview.copies() == 0 ? Overview.of(node, timeoutMillis) : overview;
                state = state.with(figures(node, timeoutMillis, overview));
            }
            states.add(state);
        }
        if (run.json()) {
            run.out()
                    .println(
                            states.stream()
                                    .map(NodeState::json)
                                    .collect(Collectors.joining(",", "[", "]")));
        } else {
            print(run, states);
            if (overview.copies() > 0 && overview.shares().size() == states.size()) {
                run.out().println(overview.failing(states));
            }
        }
        return exit(states);
    }

    private static ExitCode exit(Collection<NodeState> states) {
        boolean ready = states.stream().allMatch(each -> each.state() == State.READY);
        return ready ? ExitCode.DONE : ExitCode.NOT_THERE;
    }

    private ExitCode watch(Invocation run, List<Node> nodes, int timeoutMillis) {
        Map<Node, NodeState> states = new LinkedHashMap<>();
        do {
            for (Node node : nodes) {
                NodeState state = NodeState.of(node, timeoutMillis);
                if (!state.equals(states.put(node, state))) {
                    run.out().println(run.json() ? state.json() : String.join("  ", state.cells()));
                    run.out().flush();
                }
            }
        } while (pause.getAsBoolean());
        return exit(states.values());
    }

    /** Prints a table, in which reasons follow the row of their node. */
    private static void print(Invocation run, List<NodeState> states) {
        List<List<String>> rows = new ArrayList<>();
        if (states.stream().anyMatch(each -> each.figures() != null)) {
            rows.add(TITLES);
        }
        states.forEach(each -> rows.add(each.cells()));
        int[] widths = new int[TITLES.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size() - 1; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                String cell = row.get(i);
                boolean isLast = i == row.size() - 1;
                line.append(i == 0 ? "" : "  ")
                        .append(i == 1 ? coloured(run, cell) : cell)
                        .append(isLast ? "" : " ".repeat(Math.max(0, widths[i] - cell.length())));
            }
            run.out().println(line);
        }
    }

    private static String coloured(Invocation run, String state) {
        Ansi ansi = run.ansi();
        if (!ansi.enabled() || state.equals(TITLES.get(1))) {
            return state;
        }
        String colour = state.startsWith(State.READY.label) ? "green" : "red";
        return ansi.string("@|" + colour + " _|@").replace("_", state);
    }

    /** A node's figures; null if it does not tell them. */
    private @Nullable Figures figures(Node node, int timeoutMillis, Overview overview) {
        MetricsText metrics;
        try {
            metrics = MetricsText.parse(node.ask("GET", "/metrics", timeoutMillis).text());
        } catch (IOException e) {
            return null;
        }
        List<MetricsText.Sample> build = metrics.all("quorate_build_info");
        if (build.isEmpty()) {
            return null;
        }
        String name = build.getFirst().label("node");
        double started = metrics.sum("process_start_time_seconds");
        return new Figures(
                name,
                build.getFirst().label("version"),
                Math.max(0, ticker.wallMillis() / 1e3 - started),
                overview.shares().getOrDefault(name, ""),
                metrics.sum("quorate_sstable_size_bytes")
                        + metrics.sum("quorate_memtable_size_bytes"),
                metrics.sum("quorate_disk_free_bytes"),
                metrics.all("quorate_repair_age_seconds").stream()
                        .mapToDouble(MetricsText.Sample::value)
                        .max()
                        .orElse(-1));
    }

    /**
     * What a node shows of itself.
     *
     * @param share the part of the keys of which it is the first owner, in percent; empty if
     *     unknown
     * @param repairSeconds the time since the oldest of the last repairs with each peer, or since
     *     the start; -1 without peers
     */
    private record Figures(
            String name,
            String version,
            double upSeconds,
            String share,
            double storedBytes,
            double freeBytes,
            double repairSeconds) {

        List<String> cells() {
            return List.of(
                    name,
                    version,
                    Amounts.time(upSeconds),
                    share.isEmpty() ? "-" : share + " %",
                    Amounts.bytes(storedBytes),
                    Amounts.bytes(freeBytes),
                    repairSeconds < 0 ? "-" : Amounts.time(repairSeconds) + " ago");
        }
    }

    /**
     * The cluster as the first node that answers sees it.
     *
     * @param copies the copies of each key; 0 if no node tells them
     * @param shares the share of each member, in percent
     */
    private record Overview(int copies, Map<String, String> shares) {

        private static final Pattern COPIES =
                Pattern.compile(", ([0-9]{1,2}) cop(?:y|ies) of each key");
        private static final Pattern SHARE =
                Pattern.compile("(?m)^(\\S+) +\\S+ +([0-9.]+) % of the ring");

        private static final Overview NONE = new Overview(0, Map.of());

        static Overview of(Node node, int timeoutMillis) {
            try {
                String page = node.ask("GET", "/", "text/plain", timeoutMillis).text();
                Matcher copies = COPIES.matcher(page);
                if (copies.find()) {
                    Map<String, String> shares = new HashMap<>();
                    SHARE.matcher(page)
                            .results()
                            .forEach(share -> shares.put(share.group(1), share.group(2)));
                    return new Overview(Integer.parseInt(copies.group(1)), shares);
                }
            } catch (IOException e) {
                // The next node may answer.
            }
            return NONE;
        }

        /** Which values of {@code replicas} fail while these nodes are not ready. */
        String failing(List<NodeState> states) {
            List<String> down =
                    states.stream()
                            .filter(each -> !each.answersOthers())
                            .map(NodeState::url)
                            .toList();
            if (down.isEmpty()) {
                return "All replicas of each key answer.";
            }
            int sure = Math.max(0, copies - down.size());
            String fail =
                    IntStream.rangeClosed(sure + 1, copies)
                            .mapToObj(ack -> ack + "/" + copies)
                            .collect(Collectors.joining(" and "));
            return String.format(
                    Locale.ROOT,
                    "replicas=%s can fail now, for keys of %s%s.%s",
                    fail,
                    down.size() == 1 ? "" : "several of ",
                    String.join(", ", down),
                    sure == 0 ? "" : " %d/%d succeeds.".formatted(sure, copies));
        }
    }

    private enum State {
        READY("ready"),
        NOT_READY("not ready"),
        NOT_REACHED("not reached");

        private final String label;

        State(String label) {
            this.label = label;
        }
    }

    /**
     * The readiness of a node, with the reasons if it is not ready, or the change in progress.
     *
     * @param figures null if unknown
     */
    private record NodeState(
            String url, State state, List<String> reasons, @Nullable Figures figures) {

        static NodeState of(Node node, int timeoutMillis) {
            try {
                Node.Answer answer = node.ask("GET", "/readyz", timeoutMillis);
                if (answer.status() == 200) {
                    List<String> changes =
                            answer.text()
                                    .lines()
                                    .filter(line -> line.contains("members change"))
                                    .map(line -> line.substring(line.indexOf("in epoch")))
                                    .toList();
                    return new NodeState(node.url(), State.READY, changes, null);
                }
                List<String> failed = answer.failedChecks();
                return new NodeState(
                        node.url(),
                        answer.status() == 503 ? State.NOT_READY : State.NOT_REACHED,
                        failed.isEmpty() ? List.of(answer.statusLine()) : failed,
                        null);
            } catch (IOException e) {
                return new NodeState(node.url(), State.NOT_REACHED, List.of(Node.reason(e)), null);
            }
        }

        /** Whether operations can count on it. A drained node answers and votes. */
        boolean answersOthers() {
            return state == State.READY
                    || (state == State.NOT_READY
                            && reasons.stream().allMatch(each -> each.contains("is drained")));
        }

        NodeState with(@Nullable Figures shown) {
            return new NodeState(url, state, reasons, shown);
        }

        /** The cells of its row; the last one has the reasons, if there are any. */
        List<String> cells() {
            List<String> cells = new ArrayList<>(List.of(url, state.label));
            if (figures != null) {
                cells.addAll(figures.cells());
            }
            if (!reasons.isEmpty()) {
                cells.add(cells.removeLast() + ": " + String.join("; ", reasons));
            }
            return cells.stream().map(PrintableWriter::printable).toList();
        }

        String json() {
            JsonWriter json =
                    new JsonWriter(256)
                            .beginObject()
                            .field("url", url)
                            .field("state", state.label)
                            .field("reasons", reasons);
            if (figures != null) {
                json.field("name", figures.name())
                        .field("version", figures.version())
                        .field("upSeconds", (long) figures.upSeconds())
                        .field("sharePercent", figures.share())
                        .field("storedBytes", (long) figures.storedBytes())
                        .field("freeBytes", (long) figures.freeBytes())
                        .field("repairSeconds", (long) figures.repairSeconds());
            }
            return json.endObject().toString();
        }
    }
}
