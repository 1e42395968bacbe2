package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.Main;
import dev.quorate.testkit.check.Check;
import dev.quorate.testkit.page.CommandWords;
import dev.quorate.testkit.page.Page;
import dev.quorate.testkit.page.Pages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Every {@code ./quorate} command that a page names, with its options, is one that there is. */
final class DocumentedCommandsTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    /** {@code bench} and {@code report} are judged in their module, the others by the launcher. */
    private static final Set<String> ELSEWHERE =
            Set.of("bench", "report", "health", "container", "cert", "support");

    /** Of a number, in a summary. */
    private static final Pattern PLACEHOLDER = Pattern.compile(": '[A-Z]+' is not an? ");

    private static CommandLine commandLine() {
        CommandLine all = Main.commandLine(Map.of());
        all.addSubcommand("sim", new CommandLine(new Sim(System.out)));
        all.addSubcommand("check", Check.commandLine(System.out, System.err));
        return all;
    }

    @Test
    void everyCommandOfEveryPageIsOneThatThereIs() throws IOException {
        List<String> wrong = new ArrayList<>();
        Set<String> named = new HashSet<>();
        int commands = 0;
        for (Map.Entry<String, Page> page : Pages.all(ROOT).entrySet()) {
            for (CommandWords each : CommandWords.of(page.getValue())) {
                String problem = problem(each);
                commands++;
                named.add(each.words().getFirst());
                if (!problem.isEmpty()) {
                    wrong.add(page.getKey() + ":" + each.line() + ": " + problem);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(commands).isGreaterThan(150);
        assertThat(named).containsAll(commandLine().getSubcommands().keySet());
    }

    @Test
    void whatThereIsNotIsNoticed() {
        assertThat(problem(named("scan --newest"))).contains("no '--newest'");
        assertThat(problem(named("scna"))).contains("no 'scna'");
        assertThat(problem(named("sim --seed many"))).contains("--seed");
        assertThat(problem(named("node --no-such-option 1"))).contains("no '--no-such-option'");
        assertThat(problem(named("token add --prefix P"))).isEmpty();
    }

    private static CommandWords named(String words) {
        return new CommandWords(1, List.of(words.split(" ", -1)), true);
    }

    private static String problem(CommandWords command) {
        CommandLine commandLine = commandLine();
        String first = command.words().getFirst();
        boolean isOurs = command.isCertain() || commandLine.getSubcommands().containsKey(first);
        return isOurs && !ELSEWHERE.contains(first) ? problem(commandLine, command.words()) : "";
    }

    /** What the command line says of it; empty if nothing. A sentence may leave words out. */
    private static String problem(CommandLine commandLine, List<String> words) {
        collectErrors(commandLine);
        CommandLine.ParseResult parsed = commandLine.parseArgs(words.toArray(String[]::new));
        List<String> problems = new ArrayList<>();
        for (CommandLine.ParseResult each = parsed; each != null; each = next(each)) {
            each.unmatched().forEach(word -> problems.add("no '" + word + "'"));
            for (Exception error : each.errors()) {
                String message = String.valueOf(error.getMessage());
                if (!(error instanceof CommandLine.MissingParameterException)
                        && !PLACEHOLDER.matcher(message).find()) {
                    problems.add(message);
                }
            }
        }
        return problems.isEmpty() ? "" : words + ": " + problems;
    }

    private static void collectErrors(CommandLine commandLine) {
        commandLine.getCommandSpec().parser().collectErrors(true);
        commandLine.getSubcommands().values().forEach(DocumentedCommandsTest::collectErrors);
    }

    private static CommandLine.@Nullable ParseResult next(CommandLine.ParseResult parsed) {
        return parsed.hasSubcommand() ? parsed.subcommand() : null;
    }
}
