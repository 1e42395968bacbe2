package dev.quorate.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of threats names a test for each line, which exists. */
final class ThreatModelTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final Pattern NAMED = Pattern.compile("`(?:([A-Z]\\w*Test)\\.?)?([a-z]\\w*)?`");

    private static String source(String test) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            Path file =
                    files.filter(each -> each.endsWith(test + ".java")).findFirst().orElse(null);
            assertThat(file).as(test).isNotNull();
            return Files.readString(file);
        }
    }

    @Test
    void everyTestThatIsNamedExists() throws IOException {
        int named = 0;
        for (String line : Files.readAllLines(ROOT.resolve("docs/threat-model.md"))) {
            String[] cells = line.split("\\|", -1);
            if (cells.length < 6 || cells[4].isBlank() || cells[4].contains("---")) {
                continue;
            }
            String source = "";
            Matcher matcher = NAMED.matcher(cells[4]);
            while (matcher.find()) {
                source = matcher.group(1) == null ? source : source(matcher.group(1));
                if (matcher.group(2) != null) {
                    assertThat(source).as(line).contains("void " + matcher.group(2) + "(");
                }
                named++;
            }
            assertThat(
                            matcher.reset().find()
                                    || cells[4].contains("none")
                                    || cells[4].contains("Test"))
                    .as(line)
                    .isTrue();
        }
        assertThat(named).isGreaterThan(20);
    }
}
