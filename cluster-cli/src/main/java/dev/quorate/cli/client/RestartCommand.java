package dev.quorate.cli.client;

import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.LocalFailure;
import dev.quorate.cli.local.MetricsText;
import dev.quorate.cli.local.Node;
import dev.quorate.cli.local.RollingRestart;
import dev.quorate.router.runtime.Ticker;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;

/** {@code member restart}: restarts members of any machines by a command, one at a time. */
final class RestartCommand implements RollingRestart.Nodes {

    private static final int ASK_MILLIS = 5_000;

    /** Has no meaning for a shell, and does not begin an option. */
    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9_:][A-Za-z0-9_.:/-]*");

    private final Ticker ticker;
    private final Invocation run;
    private final int timeoutMillis;
    private final Map<String, Node> nodes = new TreeMap<>();
    private final Map<String, String> commands = new TreeMap<>();

    /** When the processes were started, by name. */
    private final Map<String, Double> starts = new HashMap<>();

    static CommandSpec spec(ClientCommands commands, Ticker ticker) {
        return commands.command(
                "restart",
                "Restarts the members one at a time by a command of yours, each when the others can"
                        + " serve without it. Waits until it is ready in a new process and the"
                        + " others see it. --timeout limits each wait; default: 2 minutes. With"
                        + " tokens, it needs an admin token.",
                "Exit codes: 0 done; 1 a member cannot be stopped, its command failed, or it did not"
                        + " return: the remaining ones are not restarted; 2 invalid arguments; 3 a"
                        + " member does not answer, and none was restarted.",
                run -> new RestartCommand(run, ticker).run(),
                Commands.requiredOption(
                        "--command",
                        "COMMAND",
                        "Restarts one member, for sh -c. {host}, {name} and {url} are the member's:"
                                + " 'ssh {host} sudo systemctl restart quorate'."),
                Commands.flag("--dry-run", "Prints the commands and runs none."));
    }

    private RestartCommand(Invocation run, Ticker ticker) throws IOException, CommandFailure {
        this.run = run;
        this.ticker = ticker;
        this.timeoutMillis = run.timeoutMillis(120);
        String command = String.valueOf(run.option("--command"));
        if (!command.matches("(?s).*\\{(host|name|url)}.*")) {
            throw CommandFailure.usage(
                    "--command has none of {host}, {name} and {url}: it would be the same for each"
                            + " member.");
        }
        for (Node node : run.members()) {
            try {
                String name = metrics(node).all("quorate_build_info").getFirst().label("node");
                nodes.put(name, node);
                commands.put(name, filled(command, name, node));
            } catch (IOException e) {
                throw CommandFailure.unavailable(
                        "%s cannot be asked: %s. No member was restarted."
                                .formatted(node.url(), Node.reason(e)));
            }
        }
    }

    private static String filled(String command, String name, Node node) throws CommandFailure {
        String host = node.uri().getHost().replaceAll("[\\[\\]]", "");
        String filled = command;
        for (Map.Entry<String, String> each :
                Map.of("{host}", host, "{name}", name, "{url}", node.url()).entrySet()) {
            if (filled.contains(each.getKey()) && !SAFE.matcher(each.getValue()).matches()) {
                throw CommandFailure.usage(
                        "%s is '%s', which a shell may interpret. No member was restarted."
                                .formatted(each.getKey(), each.getValue()));
            }
            filled = filled.replace(each.getKey(), each.getValue());
        }
        return filled;
    }

    private ExitCode run() throws CommandFailure {
        try {
            if (run.has("--dry-run")) {
                commands.forEach((name, command) -> run.out().println(name + ": " + command));
            } else {
                new RollingRestart(this, run.out()).run(nodes.keySet().stream().toList());
            }
            return ExitCode.DONE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCode.NOT_THERE, "The restart was interrupted.");
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.NOT_THERE, String.valueOf(e.getMessage()));
        }
    }

    private Node node(String name) {
        return Objects.requireNonNull(nodes.get(name));
    }

    private static MetricsText metrics(Node node) throws IOException {
        Node.Answer answer = node.ask("GET", "/metrics", ASK_MILLIS);
        MetricsText metrics = MetricsText.parse(answer.text());
        if (answer.status() != 200 || metrics.all("quorate_build_info").isEmpty()) {
            throw new IOException("it answers " + answer.problem());
        }
        return metrics;
    }

    private static double startOf(Node node) throws IOException {
        return metrics(node).sum("process_start_time_seconds");
    }

    @Override
    public long waitMillis() {
        return timeoutMillis;
    }

    @Override
    public String whyNotStop(String name) throws LocalFailure {
        return RollingRestart.whyNotStop(node(name).access(), name, node(name).url());
    }

    @Override
    public void stop(String name) throws IOException, InterruptedException {
        String command = Objects.requireNonNull(commands.get(name));
        starts.put(name, startOf(node(name)));
        run.out().println(name + ": " + command);
        run.out().flush();
        Process process =
                new ProcessBuilder("sh", "-c", command)
                        .inheritIO()
                        .redirectInput(Redirect.from(new File("/dev/null")))
                        .start();
        boolean hasEnded = process.waitFor(timeoutMillis, TimeUnit.MILLISECONDS);
        process.destroy();
        if (!hasEnded || process.exitValue() != 0) {
            throw new LocalFailure(
                    "The command for %s %s. Check whether %s runs before you repeat this."
                            .formatted(
                                    name,
                                    hasEnded
                                            ? "ended with the exit code " + process.exitValue()
                                            : "did not end within " + timeoutMillis + " ms",
                                    name));
        }
    }

    @Override
    public void start(String name) throws LocalFailure, InterruptedException {
        long begun = ticker.nanos();
        String why = whyNotReady(name);
        while (!why.isEmpty()) {
            if (ticker.nanos() - begun > TimeUnit.MILLISECONDS.toNanos(timeoutMillis)) {
                throw new LocalFailure(
                        "%s was not restarted and ready within %d s: %s."
                                .formatted(name, timeoutMillis / 1_000, why));
            }
            pause();
            why = whyNotReady(name);
        }
    }

    /** Why a node is not ready in another process than before; empty if it is. */
    private String whyNotReady(String name) {
        try {
            if (startOf(node(name)) == Objects.requireNonNull(starts.get(name))) {
                return "it is still the same process as before the command";
            }
            Node.Answer ready = node(name).ask("GET", "/readyz", ASK_MILLIS);
            return ready.status() == 200 ? "" : String.join("; ", ready.failedChecks());
        } catch (IOException e) {
            return Node.reason(e);
        }
    }
}
