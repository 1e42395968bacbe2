package dev.quorate.testkit;

import dev.quorate.cli.local.Commands;
import dev.quorate.testkit.simulation.Simulation;
import dev.quorate.testkit.simulation.SimulationResult;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate sim}: runs a simulation from a seed and checks it.
 *
 * <p>Exit status: 0 if every promise was kept; 1 if one was broken; 2 if the arguments are invalid.
 */
@Command(
        name = "quorate sim",
        description = {
            "Simulates clusters while nodes crash, disks fail, clocks are wrong and the",
            "network breaks, and checks the answers of their clients. The same seed gives",
            "the same history, which a digest at the end shows."
        })
public final class Sim implements Callable<Integer> {

    private static final int MAX_MINUTES = 24 * 60;

    private final PrintStream out;

    @Option(names = "--seed", paramLabel = "N", description = "Any number. Default: a new one.")
    private @Nullable Long seed;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            description = "Simulated minutes of work and faults. Default: ${DEFAULT-VALUE}.")
    private double minutes = 1;

    @Option(
            names = "--seeds",
            paramLabel = "K",
            description = "Number of seeds to run, one after the other. Default: 1.")
    private int seeds = 1;

    @Option(names = "--no-shrink", negatable = true, description = "Does not shrink failures.")
    private boolean shrink = true;

    @Option(names = "--story", description = "Prints the events of the nodes.")
    private boolean story;

    @Option(names = "--history", description = "Prints the clients' operations and answers.")
    private boolean history;

    Sim(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.removeFirst(); // the command's name
        CommandLine line = new CommandLine(new Sim(System.out));
        line.getCommandSpec().addOption(Commands.help());
        System.exit(Commands.explained(line).execute(words.toArray(String[]::new)));
    }

    @Override
    public Integer call() {
        if (!(minutes > 0 && minutes <= MAX_MINUTES) || seeds < 1) {
            System.err.println(
                    "--minutes must be more than 0 and at most "
                            + MAX_MINUTES
                            + ", and --seeds at least 1.");
            return CommandLine.ExitCode.USAGE;
        }
        long first = seed == null ? System.nanoTime() : seed;
        Duration length = Duration.ofMillis(Math.max(1, (long) (minutes * 60_000)));
        long begun = System.nanoTime();
        List<Long> broken = new ArrayList<>();
        for (long each = first; each < first + seeds; each++) {
            SimulationResult result = Simulation.run(each, length);
            report(result, length);
            if (!result.isGood()) {
                broken.add(each);
            }
            long done = each - first + 1;
            if (done % 100 == 0 && done < seeds) {
                out.println(done + " of " + seeds + " seeds, " + broken.size() + " broken");
            }
        }
        if (seeds > 1) {
            double seconds = (System.nanoTime() - begun) / 1e9;
            out.printf(
                    Locale.ROOT,
                    "%d seeds in %.1f s, %.0f simulated minutes in a real one; broken: %s%n",
                    seeds,
                    seconds,
                    seeds * minutes * 60 / seconds,
                    broken.isEmpty() ? "none" : broken);
        }
        return broken.isEmpty() ? CommandLine.ExitCode.OK : 1;
    }

    private void report(SimulationResult result, Duration length) {
        if (seeds > 1 && result.isGood() && !story && !history) {
            return;
        }
        if (story) {
            result.events().forEach(out::println);
        }
        if (history) {
            out.print(result.history());
        }
        out.println("seed: " + result.seed() + ", faults: " + result.faults());
        out.println(result.verdict());
        result.broken().forEach(out::println);
        out.println("digest: " + result.history().digest());
        if (!result.isGood() && shrink) {
            SimulationResult shortest = Simulation.shrink(result.seed(), length);
            out.println("The shortest failing simulation found:");
            shortest.story().forEach(out::println);
            out.println(shortest.verdict());
            shortest.broken().forEach(out::println);
        }
    }
}
