package dev.quorate.node.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.admin.RegisteredFigures;
import dev.quorate.storage.Figures.Figure;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The console shows figures by name: one that nobody registers would be shown as undefined. */
final class ConsoleFiguresTest {

    @Test
    void everyFigureOfTheConsoleIsRegistered() throws Exception {
        String script;
        try (InputStream in = Console.class.getResourceAsStream("cluster.js")) {
            script = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
        int start = script.indexOf("const FIGURES = [");
        String table = script.substring(start, script.indexOf("];", start));
        List<String> shown =
                Pattern.compile("\\['([^']+)', '")
                        .matcher(table)
                        .results()
                        .map((MatchResult entry) -> entry.group(1))
                        .toList();
        assertThat(shown).hasSizeGreaterThan(10);
        assertThat(RegisteredFigures.all()).extracting(Figure::fullName).containsAll(shown);
    }
}
