package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.page.CommandWords;
import dev.quorate.harness.page.Page;
import dev.quorate.harness.page.Pages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Every {@code ./quorate bench} and {@code report} of a page has options that there are. */
final class DocumentedBenchmarksTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    @Test
    void everyBenchmarkOfEveryPageIsOneThatThereIs() throws IOException {
        List<String> wrong = new ArrayList<>();
        int commands = 0;
        for (Map.Entry<String, Page> page : Pages.all(ROOT).entrySet()) {
            for (CommandWords each : CommandWords.of(page.getValue())) {
                if (List.of("bench", "report").contains(each.words().getFirst())) {
                    commands++;
                    String problem = problem(each.words());
                    if (!problem.isEmpty()) {
                        wrong.add(page.getKey() + ":" + each.line() + ": " + problem);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(commands).isGreaterThan(12);
    }

    @Test
    void whatThereIsNotIsNoticed() {
        assertThat(problem(List.of("bench", "engine", "--slowly"))).contains("--slowly");
        assertThat(problem(List.of("bench", "engnie"))).contains("engnie");
        assertThat(problem(List.of("report", "--sets", "one"))).contains("--sets");
    }

    /** What the command line says of it; empty if nothing. A sentence may leave words out. */
    private static String problem(List<String> words) {
        try {
            CommandLine.ParseResult parsed =
                    Main.commandLine(ROOT, System.out, System.err)
                            .parseArgs(words.toArray(String[]::new));
            while (parsed.hasSubcommand()) {
                parsed = parsed.subcommand();
            }
            return parsed.unmatched().isEmpty() ? "" : words + ": " + parsed.unmatched();
        } catch (CommandLine.MissingParameterException e) {
            return "";
        } catch (CommandLine.ParameterException e) {
            String message = String.valueOf(e.getMessage());
            boolean isPlaceholder = message.matches("(?s).* '[A-Z]+'.*");
            return isPlaceholder ? "" : words + ": " + message;
        }
    }
}
